// Boxes in a tree: which of them overlap, and which are near a point.
#pragma once

#include <array>
#include <Eigen/Geometry>
#include <span>
#include <utility>
#include <vector>

namespace stiffly {

using Box = Eigen::AlignedBox3d;

/// A part of a way, in shares of it.
struct PartOfWay {
  double from = 0, until = 1;
  bool is_whole() const { return from == 0 && until == 1; }
};

/// A complete tree of eight children a node over the boxes' centres in Morton order. Inside, boxes are in
/// single precision about the middle of them all, rounded outwards: what overlaps in double precision does so
/// here, and little else, wherever the origin is.
class BoxTree {
 public:
  using Pairs = std::vector<std::pair<int, int>>;
  /// What knows more of the contents of boxes.
  class Sieve {
   public:
    virtual ~Sieve() = default;
    /// Of `which` of the boxes at places from 8 leaf on, those that may meet the one at this place.
    virtual unsigned pass(std::size_t place, std::size_t leaf, unsigned which) const = 0;
  };

  BoxTree() = default;
  /// The order of boxes follows from their centres; equal ones keep theirs.
  explicit BoxTree(std::span<const Box> boxes) { build(boxes); }

  /// With `later`: boxes go straight from one place to the other, each side at a speed of its own, and what
  /// is asked of overlaps is asked of the whole way. Two have not met where, along one axis, one is beyond
  /// the other at both ends; so what moves together meets no more than what rests.
  void build(std::span<const Box> boxes, std::span<const Box> later = {});
  /// The same boxes a little later, in the order found before.
  void refit(std::span<const Box> boxes, std::span<const Box> later = {});
  /// Where only these of them have changed, moving as before or not; what was said of degradation stays.
  void refit_some(std::span<const int> changed, std::span<const Box> boxes, std::span<const Box> later = {});
  /// Surface of all inner boxes now, over what it was when the order was found: what a query takes grows with
  /// it, and from about 2 on it pays to build anew.
  double degradation() const { return surface_ / surface_when_built_; }
  std::size_t size() const { return order_.size(); }
  /// The box of each place, and about which places are known in single precision.
  std::span<const int> order() const { return order_; }
  std::size_t place(int box) const { return place_[static_cast<std::size_t>(box)]; }
  const Eigen::Vector3d& origin() const { return origin_; }

  /// All pairs i < j of boxes that overlap (touching counts), ascending, each once, whatever the threads do.
  /// Some that are apart by less than single precision tells may be among them. With `owners`: pairs of
  /// different owners of the boxes, which may have several each. Of these, what passes the sieve.
  Pairs overlaps(std::span<const int> owners = {}, const Sieve* sieve = nullptr) const;
  /// Of these pairs, those of some boxes with any other, on this part of their ways.
  Pairs overlaps_of(std::span<const int> some, std::span<const Box> boxes, std::span<const Box> later,
                    const PartOfWay& part = {}, std::span<const int> owners = {},
                    const Sieve* sieve = nullptr) const;

  /// Calls `bound = visit(box number, bound)` for boxes that are nearer to x than `bound`, a squared distance
  /// that visits make smaller; near ones come first.
  template <class Visit>
  void near(const Eigen::Vector3d& x, double bound, const Visit& visit) const;

 private:
  static constexpr int width = 8;
  /// The boxes of its children; those that it lacks are empty, and overlap nothing.
  struct alignas(32) Node {
    std::array<std::array<float, width>, 3> low, high;
  };
  struct FloatBox {
    std::array<float, 3> low, high;
  };
  struct Query {
    FloatBox box, later;
  };
  /// Which boxes of a leaf ask, where they are, and where all of them together.
  struct Question {
    std::size_t leaf;
    bool of_all;  ///< all leaves ask: of two that meet, the first looks for the second
    PartOfWay part = {};
    unsigned which = 0;
    std::array<Query, width> boxes = {};
    Query all = {};
  };
  static constexpr std::size_t leaves_at_once = 256;
  /// Child c of node i: place 8i + c, or that node one level lower.
  using Levels = std::vector<std::vector<Node>>;
  FloatBox rounded(const Box& box) const;
  static FloatBox around(const Node& node);
  static FloatBox child_of(const Node& node, std::size_t child);
  static void set_child(Levels& levels, std::size_t level, std::size_t child, const FloatBox& box);
  static void extend(FloatBox& box, const FloatBox& by);
  Question all_of(std::size_t leaf) const;
  bool moving() const { return !later_.empty(); }
  void fit(Levels& levels, std::span<const Box> boxes) const;
  void fit_some(Levels& levels, std::span<const int> changed, std::span<const Box> boxes) const;
  unsigned overlapping(std::size_t level, std::size_t node, const Query& query) const;
  unsigned overlapping_on(const PartOfWay& part, std::size_t level, std::size_t node,
                          const Query& query) const;
  /// Of a place on a part of the way, as it is found in single precision.
  float unsure() const;
  Query on(const PartOfWay& part, const Box& box, const Box& later) const;
  /// Of the boxes at all places: their owners', if there are any.
  std::vector<int> names(std::span<const int> owners) const;
  void pairs_of(const Question& question, std::span<const int> names, const Sieve* sieve, Pairs& out) const;
  std::array<double, width> squared_distances(const Node& node, const Eigen::Vector3d& x) const;

  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero();
  std::vector<int> order_;          ///< box of each place
  std::vector<std::size_t> place_;  ///< of each box
  Levels levels_, later_;           ///< where boxes start, and end where they move
  double surface_ = 0, surface_when_built_ = 0;
};

template <class Visit>
void BoxTree::near(const Eigen::Vector3d& x, double bound, const Visit& visit) const {
  struct Open {
    double distance;
    std::size_t level, node;
  };
  std::vector<Open> open;
  if (!levels_.empty()) open.push_back({0, levels_.size() - 1, 0});
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    if (!(next.distance < bound)) continue;
    const std::array<double, width> distance = squared_distances(levels_[next.level][next.node], x);
    std::array<int, width> nearest = {0, 1, 2, 3, 4, 5, 6, 7};
    std::sort(nearest.begin(), nearest.end(), [&](int a, int b) {
      return distance[static_cast<std::size_t>(a)] < distance[static_cast<std::size_t>(b)];
    });
    const auto enter = [&](int c) {
      const double d = distance[static_cast<std::size_t>(c)];
      const std::size_t child = width * next.node + static_cast<std::size_t>(c);
      if (!(d < bound)) return;
      if (next.level == 0)
        bound = visit(order_[child], bound);
      else
        open.push_back({d, next.level - 1, child});
    };
    if (next.level == 0)
      std::for_each(nearest.begin(), nearest.end(), enter);
    else
      std::for_each(nearest.rbegin(), nearest.rend(), enter);  // the nearest is taken off first
  }
}

}  // namespace stiffly
