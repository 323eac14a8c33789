#include "stiffly/mesh/stuffing.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "stiffly/linalg/parallel.hpp"
#include "stiffly/mesh/lattice.hpp"
#include "stiffly/mesh/tetrahedra.hpp"

namespace stiffly::mesh {
namespace {

using Index = Lattice::Index;
using Offset = Lattice::Offset;
constexpr auto& neighbours = Lattice::neighbours;
constexpr std::size_t directions = Lattice::directions, long_directions = Lattice::long_directions;

/// A cut nearer to an end than this share of the edge pulls the end onto it: Labelle and Shewchuk's choice.
constexpr double alpha_long = 0.24999, alpha_short = 0.41189;

/// A corner of a lattice tetrahedron: a lattice point and which side of the surface it is on.
struct Corner {
  Index point;
  int sign;  ///< 1 inside, 0 on the surface, -1 outside
};

class Stuffing {
 public:
  Stuffing(const Inside& inside, const Eigen::AlignedBox3d& box, double spacing)
      : inside_(inside), lattice_(box, spacing), sign_(static_cast<std::size_t>(lattice_.points())) {}

  Mesh mesh() {
    find_signs();
    find_cuts();
    move_points();
    for (Index a = 0; a < lattice_.points(); a += 2) tetrahedra_around(lattice_.coordinates(a));
    mesh_.triangles = surface_of(mesh_.tetrahedra);
    return std::move(mesh_);
  }

 private:
  int sign(Index point) const { return sign_[static_cast<std::size_t>(point)]; }

  void find_signs() {
    for_chunks<512>(sign_.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto c = lattice_.coordinates(static_cast<Index>(i));
        sign_[i] = !lattice_.near_rim(c, 3) && inside_(lattice_.position(c)) ? 1 : -1;
      }
    });
  }

  static Index edge_key(Index point, std::size_t direction) {
    return point * static_cast<Index>(directions) + static_cast<Index>(direction);
  }
  /// The edge from `point` in any of the 14 directions: its key, and whether it runs backwards.
  std::pair<Index, bool> edge(const std::array<Index, 3>& from, std::size_t direction) const {
    if (direction < directions) return {edge_key(lattice_.number(from), direction), false};
    return {edge_key(lattice_.number(Lattice::moved(from, neighbours[direction])), direction - directions),
            true};
  }

  /// Where edges cross the surface, as a share of the edge from its first end, by bisection: the surface may
  /// be anything that can tell inside from outside.
  void find_cuts() {
    std::vector<Index> keys;
    for (Index i = 0; i < lattice_.points(); ++i) {
      const auto c = lattice_.coordinates(i);
      for (std::size_t d = 0; d < directions; ++d) {
        const auto other = Lattice::moved(c, neighbours[d]);
        if (lattice_.contains(other) && sign(i) != sign(lattice_.number(other)))
          keys.push_back(edge_key(i, d));
      }
    }
    std::vector<double> cuts(keys.size());
    for_chunks<64>(keys.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k) {
        const Index point = keys[k] / static_cast<Index>(directions);
        const auto c = lattice_.coordinates(point);
        const Eigen::Vector3d a = lattice_.position(c);
        const Eigen::Vector3d b =
            lattice_.position(Lattice::moved(c, neighbours[static_cast<std::size_t>(keys[k]) % directions]));
        double low = 0, high = 1;
        for (int step = 0; step < 8; ++step) {
          const double middle = (low + high) / 2;
          (inside_(a + middle * (b - a)) == (sign(point) > 0) ? low : high) = middle;
        }
        cuts[k] = (low + high) / 2;
      }
    });
    cuts_.reserve(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k) cuts_.emplace(keys[k], cuts[k]);
  }

  /// Pulls lattice points onto the nearest cut that is too near. Their edges are then cut no longer.
  void move_points() {
    for (Index i = 0; i < lattice_.points(); ++i) {
      const auto c = lattice_.coordinates(i);
      if (lattice_.near_rim(c, 2)) continue;
      double nearest = INFINITY;
      Eigen::Vector3d target;
      for (std::size_t d = 0; d < neighbours.size(); ++d) {
        const Index other = lattice_.number(Lattice::moved(c, neighbours[d]));
        if (sign(i) * sign(other) >= 0) continue;
        const bool is_long = d % directions < long_directions;
        const auto [key, backwards] = edge(c, d);
        const double share = backwards ? 1 - cuts_.at(key) : cuts_.at(key);
        const double distance = share * (is_long ? 2 : std::sqrt(3.0));
        if (share >= (is_long ? alpha_long : alpha_short) || distance >= nearest) continue;
        nearest = distance;
        target = lattice_.position(c) +
                 share * (lattice_.position(Lattice::moved(c, neighbours[d])) - lattice_.position(c));
      }
      if (nearest == INFINITY) continue;
      sign_[static_cast<std::size_t>(i)] = 0;
      on_surface_.emplace(i, target);
    }
  }

  int add(std::unordered_map<Index, int>& numbers, Index key, const Eigen::Vector3d& x) {
    const auto [entry, is_new] = numbers.try_emplace(key, static_cast<int>(mesh_.points.size()));
    if (is_new) mesh_.points.push_back(x);
    return entry->second;
  }
  int vertex(Index point) {
    const auto found = on_surface_.find(point);
    return add(point_numbers_, point,
               found != on_surface_.end() ? found->second : lattice_.position(lattice_.coordinates(point)));
  }
  /// The particle on the cut edge between an inner and an outer lattice point.
  int cut(Index inner, Index outer) {
    const auto from = lattice_.coordinates(inner), to = lattice_.coordinates(outer);
    Offset step;
    for (std::size_t axis = 0; axis < 3; ++axis) step[axis] = static_cast<int>(to[axis] - from[axis]);
    const auto direction =
        static_cast<std::size_t>(std::find(neighbours.begin(), neighbours.end(), step) - neighbours.begin());
    const auto [key, backwards] = edge(from, direction);
    const double share = backwards ? 1 - cuts_.at(key) : cuts_.at(key);
    const Eigen::Vector3d a = lattice_.position(from);
    return add(cut_numbers_, key, a + share * (lattice_.position(to) - a));
  }
  bool is_long(Index a, Index b) const { return ((a ^ b) & 1) == 0; }

  void emit(Tetrahedron t) {
    if (volume(t) < 0) std::swap(t[2], t[3]);
    mesh_.tetrahedra.push_back(t);
  }
  const Eigen::Vector3d& at(int particle) const { return mesh_.points[static_cast<std::size_t>(particle)]; }
  double volume(const Tetrahedron& t) const {
    return (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).dot(at(t[3]) - at(t[0])) / 6;
  }

  /// The four tetrahedra around each long edge from the corner `a` to the next one along an axis; together
  /// all tetrahedra of the lattice, each once.
  void tetrahedra_around(const std::array<Index, 3>& a) {
    if (lattice_.near_rim(a, 2)) return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      Offset along{}, ring{};
      along[axis] = 2;
      std::array<Index, 4> centres;
      constexpr int around[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
      for (std::size_t k = 0; k < 4; ++k) {
        ring[axis] = 1;
        ring[u] = around[k][0];
        ring[v] = around[k][1];
        centres[k] = lattice_.number(Lattice::moved(a, ring));
      }
      const Index first = lattice_.number(a), second = lattice_.number(Lattice::moved(a, along));
      for (std::size_t k = 0; k < 4; ++k) tetrahedron({first, second, centres[k], centres[(k + 1) % 4]});
    }
  }

  void tetrahedron(const std::array<Index, 4>& corners) {
    std::array<Corner, 4> sorted;  // inner ones first
    for (std::size_t i = 0; i < 4; ++i) sorted[i] = {corners[i], sign(corners[i])};
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Corner& a, const Corner& b) { return a.sign > b.sign; });
    const auto inner =
        std::count_if(sorted.begin(), sorted.end(), [](const Corner& c) { return c.sign > 0; });
    const auto outer =
        std::count_if(sorted.begin(), sorted.end(), [](const Corner& c) { return c.sign < 0; });
    if (inner == 0) return;
    const std::array<Index, 4> p = {sorted[0].point, sorted[1].point, sorted[2].point, sorted[3].point};
    if (outer == 0) {
      emit({vertex(p[0]), vertex(p[1]), vertex(p[2]), vertex(p[3])});
    } else if (inner == 1) {
      const auto tip = [&](std::size_t i) { return sorted[i].sign == 0 ? vertex(p[i]) : cut(p[0], p[i]); };
      emit({vertex(p[0]), tip(1), tip(2), tip(3)});
    } else if (inner == 2 && outer == 1) {
      pyramid(p[0], p[1], p[3], vertex(p[2]));
    } else if (inner == 2) {
      prism({vertex(p[0]), cut(p[0], p[2]), cut(p[0], p[3])},
            {vertex(p[1]), cut(p[1], p[2]), cut(p[1], p[3])},
            {diagonal_from_first(p[0], p[1], p[2]), diagonal_from_first(p[0], p[1], p[3])});
    } else {
      truncated(p);
    }
  }

  /// Inner points a and b and their cuts towards c make a quadrilateral that two lattice tetrahedra share.
  /// Both must split it alike: whether the diagonal runs from a to the cut of b, rather than from b to the
  /// cut of a. Where one cut edge is long the diagonal ends there; else the shorter one is taken
  /// (where the paper goes by parity).
  bool diagonal_from_first(Index a, Index b, Index c) {
    if (is_long(b, c)) return true;
    if (is_long(a, c)) return false;
    const double first = (at(vertex(a)) - at(cut(b, c))).squaredNorm(),
                 second = (at(vertex(b)) - at(cut(a, c))).squaredNorm();
    return first != second ? first < second : a < b;
  }

  /// The quadrilateral of the inner points a, b and their cuts towards c, with a tip on the surface.
  void pyramid(Index a, Index b, Index c, int tip) {
    const int pa = vertex(a), pb = vertex(b), ca = cut(a, c), cb = cut(b, c);
    if (diagonal_from_first(a, b, c)) {
      emit({pa, pb, cb, tip});
      emit({pa, cb, ca, tip});
    } else {
      emit({pa, pb, ca, tip});
      emit({pb, cb, ca, tip});
    }
  }

  /// Between two triangles whose corners correspond. `from_low[i]` says whether the diagonal of the side
  /// between corners 0 and i + 1 starts at the lower corner 0; the side that lies on the surface is ours to
  /// split.
  void prism(const std::array<int, 3>& low, const std::array<int, 3>& high,
             const std::array<bool, 2>& from_low) {
    if (from_low[0] == from_low[1]) {
      // Both diagonals meet at one point, the apex of a pyramid over the free side.
      const auto& [apex_side, far_side] = from_low[0] ? std::tie(low, high) : std::tie(high, low);
      const int apex = apex_side[0];
      emit({apex, far_side[0], far_side[1], far_side[2]});
      split_best(apex, {apex_side[1], apex_side[2], far_side[2], far_side[1]});
      return;
    }
    // One diagonal from each: the third must join the two far ends, else the three chase each other.
    const std::size_t i = from_low[0] ? 1 : 2, j = 3 - i;  // low0–high_i and high0–low_j
    emit({low[0], low[j], high[0], high[i]});
    emit({low[0], low[1], low[2], high[i]});
    emit({high[0], high[1], high[2], low[j]});
  }

  /// A pyramid over a quadrilateral on the surface, split the better way.
  void split_best(int apex, const std::array<int, 4>& q) {
    const std::array<Tetrahedron, 2> one = {{{apex, q[0], q[1], q[2]}, {apex, q[0], q[2], q[3]}}},
                                     two = {{{apex, q[1], q[2], q[3]}, {apex, q[1], q[3], q[0]}}};
    for (const Tetrahedron& t : quality(one) >= quality(two) ? one : two) emit(t);
  }
  double quality(const std::array<Tetrahedron, 2>& pair) const {
    double worst = 180;
    for (const Tetrahedron& t : pair) {
      std::array<Point, 4> x;
      for (std::size_t i = 0; i < 4; ++i) x[i] = {at(t[i]).x(), at(t[i]).y(), at(t[i]).z()};
      worst = std::min(worst, smallest_dihedral_angle({0, 1, 2, 3}, x));
    }
    return worst;
  }

  /// Three inner points and an outer one: a prism whose three sides are all shared with neighbours. The two
  /// with the long cut edge have their diagonals meet in its cut.
  void truncated(const std::array<Index, 4>& p) {
    std::array<Index, 3> q = {p[0], p[1], p[2]};
    for (std::size_t i = 0; i < 3; ++i)
      if (is_long(q[i], p[3])) std::swap(q[0], q[i]);
    const int apex = cut(q[0], p[3]), a = vertex(q[1]), b = vertex(q[2]), ca = cut(q[1], p[3]),
              cb = cut(q[2], p[3]);
    emit({apex, vertex(q[0]), a, b});
    if (diagonal_from_first(q[1], q[2], p[3])) {
      emit({apex, a, b, cb});
      emit({apex, a, cb, ca});
    } else {
      emit({apex, a, b, ca});
      emit({apex, b, cb, ca});
    }
  }

  const Inside& inside_;
  Lattice lattice_;
  std::vector<std::int8_t> sign_;
  std::unordered_map<Index, double> cuts_;
  std::unordered_map<Index, Eigen::Vector3d> on_surface_;
  std::unordered_map<Index, int> point_numbers_, cut_numbers_;
  Mesh mesh_;
};

}  // namespace

Mesh stuff(const Inside& inside, const Eigen::AlignedBox3d& box, double spacing) {
  return Stuffing(inside, box, spacing).mesh();
}

}  // namespace stiffly::mesh
