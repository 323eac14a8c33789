// The body-centred cubic lattice.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <Eigen/Core>
#include <Eigen/Geometry>

namespace stiffly::mesh {

/// Points have whole coordinates in half-spacings: all even (corners of cubes) or all odd (their centres).
/// Long edges join neighbours of one kind, short ones a corner and a centre.
class Lattice {
 public:
  using Index = std::int64_t;
  using Offset = std::array<int, 3>;
  static constexpr std::size_t directions = 7;  ///< every edge once; direction d + 7 is the opposite of d
  static constexpr std::size_t long_directions = 3;
  static constexpr std::array<Offset, 2 * directions> neighbours = {{{2, 0, 0},
                                                                     {0, 2, 0},
                                                                     {0, 0, 2},
                                                                     {1, 1, 1},
                                                                     {1, 1, -1},
                                                                     {1, -1, 1},
                                                                     {1, -1, -1},
                                                                     {-2, 0, 0},
                                                                     {0, -2, 0},
                                                                     {0, 0, -2},
                                                                     {-1, -1, -1},
                                                                     {-1, -1, 1},
                                                                     {-1, 1, -1},
                                                                     {-1, 1, 1}}};

  /// Reaches at least four half-spacings beyond the box. Throws InputError for more than 2·10⁹ points.
  Lattice(const Eigen::AlignedBox3d& box, double spacing);

  Index points() const { return 2 * size_[0] * size_[1] * size_[2]; }
  /// Corners come before their cube's centre.
  Index number(const std::array<Index, 3>& c) const {
    const Index odd = c[0] & 1;
    return 2 * ((((c[0] - odd) / 2) * size_[1] + (c[1] - odd) / 2) * size_[2] + (c[2] - odd) / 2) + odd;
  }
  std::array<Index, 3> coordinates(Index number) const {
    const Index odd = number & 1, cube = number / 2;
    return {2 * (cube / (size_[1] * size_[2])) + odd, 2 * (cube / size_[2] % size_[1]) + odd,
            2 * (cube % size_[2]) + odd};
  }
  bool contains(const std::array<Index, 3>& c) const {
    return std::all_of(c.begin(), c.end(), [](Index x) { return x >= 0; }) && c[0] < 2 * size_[0] &&
           c[1] < 2 * size_[1] && c[2] < 2 * size_[2];
  }
  Eigen::Vector3d position(const std::array<Index, 3>& c) const {
    return origin_ + half_ * Eigen::Vector3d(static_cast<double>(c[0]), static_cast<double>(c[1]),
                                             static_cast<double>(c[2]));
  }
  /// Within `margin` half-spacings of the rim. Nearer than 2, some neighbours are missing; nearer than 3, all
  /// counts as outside, so that no tetrahedron of the body misses a neighbour.
  bool near_rim(const std::array<Index, 3>& c, Index margin) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (c[axis] < margin || c[axis] >= 2 * size_[axis] - margin) return true;
    return false;
  }
  static std::array<Index, 3> moved(std::array<Index, 3> c, const Offset& by) {
    for (std::size_t axis = 0; axis < 3; ++axis) c[axis] += by[axis];
    return c;
  }

 private:
  double half_;
  std::array<Index, 3> size_{};
  Eigen::Vector3d origin_;
};

}  // namespace stiffly::mesh
