// Parts of segments that go straight: which of them stay apart all the way.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <Eigen/Core>
#include <limits>
#include <vector>

#include "stiffly/contact/box_tree.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {

/// A part of a thick segment, where it starts and where it ends.
struct MovingPart {
  Eigen::Vector3d first, last, later_first, later_last;
  double reach;  ///< half of the distance that is near, with the radius
};

/// Boxes hold much more than thin parts that lie across them. Of two parts this looks along the line that is
/// perpendicular to both, and along that from one to the other: where one is beyond the other at both ends of
/// the way, they have not met [the theorem of separating axes]. Eight are compared at once, in single
/// precision about an origin, and what that cannot tell passes.
class PartSieve final : public BoxTree::Sieve {
 public:
  /// `part(i)` goes to place i.
  template <class Part>
  PartSieve(std::size_t count, const Eigen::Vector3d& origin, const Part& part);

  unsigned pass(std::size_t place, std::size_t leaf, unsigned which) const override;

 private:
  static constexpr std::size_t width = 8;
  using Numbers = std::array<float, width>;
  /// At one end of the way: where parts begin, and from there to where they end.
  struct End {
    std::array<Numbers, 3> first, along;
  };
  struct alignas(32) Leaf {
    End start, end;
    Numbers reach;
  };

  std::vector<Leaf> leaves_;
};

template <class Part>
PartSieve::PartSieve(std::size_t count, const Eigen::Vector3d& origin, const Part& part)
    : leaves_((count + width - 1) / width) {
  // Of places, single precision is off by so much of the largest coordinate; differences by some times that.
  constexpr float unsure = 16 * std::numeric_limits<float>::epsilon();
  for_chunks<1024>(leaves_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = width * begin; i < std::min(width * end, count); ++i) {
      const MovingPart& p = part(i);
      Leaf& leaf = leaves_[i / width];
      const std::size_t c = i % width;
      float far = 0;
      const auto put = [&](End& at, const Eigen::Vector3d& first, const Eigen::Vector3d& last) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const auto a = static_cast<Eigen::Index>(axis);
          at.first[axis][c] = static_cast<float>(first[a] - origin[a]);
          at.along[axis][c] = static_cast<float>(last[a] - first[a]);
          far = std::max({far, std::abs(at.first[axis][c]), std::abs(at.along[axis][c])});
        }
      };
      put(leaf.start, p.first, p.last);
      put(leaf.end, p.later_first, p.later_last);
      leaf.reach[c] = static_cast<float>(p.reach) + unsure * far;
    }
  });
}

}  // namespace stiffly
