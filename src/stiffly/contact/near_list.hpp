// Pairs that may touch soon, kept while things move little.
#pragma once

#include <vector>

#include "stiffly/contact/contact_bodies.hpp"

namespace stiffly {

/// A pair of elements that can touch.
struct Neighbours {
  int first = 0, second = 0;  ///< elements, ascending
  ElementPair pair;           ///< nodes
  double radii = 0;           ///< of both together, m
};

/// All pairs that are within a reach, and some more: those that were within the reach and a margin where the
/// list was made. It is made anew when a node has moved by half the margin. Which pairs are within the reach
/// does not depend on when that was.
class NearList {
 public:
  /// Bodies as they are drawn, with `x` of their nodes. Throws InputError (naming elements and depth) where
  /// two bodies overlap there.
  NearList(ContactBodies bodies, double reach, std::span<const double> x);

  const ContactBodies& bodies() const { return bodies_; }
  /// Pairs within the reach at x, or wherever nodes are up to `wander` from there; sorted. None where x is
  /// not finite: whoever brought it there has other things to hear of.
  std::span<const Neighbours> at(std::span<const double> x, double wander = 0);
  /// Pairs are looked for anew when they are asked for next.
  void forget() { made_at_.clear(); }
  /// Any two elements as a pair.
  Neighbours neighbours(int i, int j) const;
  /// Pairs that are not in the list have at least this gap, m, at the x last given.
  double unlisted_gap() const { return reach_ + margin_ - 2 * moved_; }

 private:
  void make(std::span<const double> x);
  bool can_touch(int i, int j) const;

  ContactBodies bodies_;
  double reach_, margin_, least_margin_;
  NearPairs search_;
  std::vector<bool> on_surface_;                ///< nodes that are corners of triangles
  std::vector<std::pair<int, int>> one_shape_;  ///< pairs of elements that never touch, sorted
  std::vector<double> made_at_;
  double moved_ = 0;
  std::vector<Neighbours> list_;
};

}  // namespace stiffly
