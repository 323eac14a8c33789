// Parts of segments that go straight: which of them stay apart all the way.
#pragma once

#include <array>
#include <Eigen/Core>
#include <vector>

#include "stiffly/contact/box_tree.hpp"

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
  /// So many places, about an origin; what is there must be set.
  void begin(std::size_t count, const Eigen::Vector3d& origin);
  /// Different places may be set by several threads.
  void set(std::size_t place, const MovingPart& part);

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
  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero();
};

}  // namespace stiffly
