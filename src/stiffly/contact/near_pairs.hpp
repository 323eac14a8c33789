// Which things of a body are near each other.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "stiffly/contact/box_tree.hpp"
#include "stiffly/contact/part_sieve.hpp"
#include "stiffly/contact/proximity.hpp"

namespace stiffly {

/// A particle, a segment or a triangle, with the radius of the ball that goes along it.
struct ThickElement {
  std::array<int, 3> corners = {-1, -1, -1};  ///< particles; −1 where it has fewer
  double radius = 0;                          ///< m

  std::size_t count() const { return 1 + (corners[1] >= 0) + (corners[2] >= 0); }
};

enum class Meeting { none, points, segments, point_triangle };

/// Two elements that can meet: their particles in the order in which Proximity has corners. Where there are
/// fewer than four, the rest have no weight.
struct ElementPair {
  Meeting kind = Meeting::none;
  std::array<int, 4> particles = {0, 0, 0, 0};

  Corners corners(std::span<const double> x) const;
  Proximity nearest(const Corners& corners) const;
  /// The most that a corner of one moves against a corner of the other: by no more does their distance
  /// change.
  double approach(const Corners& way) const;
};

/// Finds pairs of elements whose surfaces are less than a reach apart. Points meet points and triangles,
/// segments meet segments: of surfaces, all three kinds are to be given, of rods their segments. Elements
/// that have a corner in common do not meet.
class NearPairs {
 public:
  /// Throws InputError (naming the element) on a radius that is not finite or negative.
  explicit NearPairs(std::vector<ThickElement> elements);

  /// Pairs i < j at these positions of the particles, three entries each; ascending, whatever the threads do.
  /// The tree is fitted to them, and built anew where motion has spoilt it.
  std::vector<std::pair<int, int>> find(std::span<const double> x, double reach) { return find(x, x, reach); }
  /// All pairs that come within the reach on straight ways, and few others: with distances d₀ and d₁ at their
  /// ends and L the most that any two corners move against each other, they are never nearer than (d₀ + d₁ −
  /// L)/2.
  std::vector<std::pair<int, int>> find(std::span<const double> from, std::span<const double> to,
                                        double reach);
  /// Of these, those of the elements named, ascending, with any other. Only they are fitted: others are taken
  /// to be about where the last `find` or `find_of` on straight ways saw them, on this part of their ways.
  std::vector<std::pair<int, int>> find_of(std::span<const int> elements, std::span<const double> from,
                                           std::span<const double> to, double reach,
                                           const PartOfWay& part = {});
  /// Fits the elements named, as `find_of` does.
  void refit(std::span<const int> elements, std::span<const double> from, std::span<const double> to,
             double reach, const PartOfWay& part);

  std::span<const ThickElement> elements() const { return elements_; }
  ElementPair pair(int i, int j) const;
  /// The distance of their surfaces, negative where they overlap.
  double gap(int i, int j, std::span<const double> x) const;
  /// How often the tree was built.
  long builds() const { return builds_; }

 private:
  /// Long segments have several boxes, which together hold much less than one would.
  void divide(std::span<const double> x, double reach);
  void fit(std::span<const double> from, std::span<const double> to, double reach);
  /// A part of a segment, of which there is a box.
  std::pair<Eigen::Vector3d, Eigen::Vector3d> part(std::size_t box, std::span<const double> x) const;
  MovingPart moving_part(std::size_t box, std::span<const double> from, std::span<const double> to,
                         double reach) const;
  std::vector<std::pair<int, int>> candidates(std::span<const double> from, std::span<const double> to,
                                              double reach);
  std::vector<int> boxes_of(std::span<const int> elements) const;
  /// Its boxes with all corners at x.
  void fit(std::size_t element, std::span<const double> x, double reach, std::vector<Box>& boxes) const;
  bool come_near(int i, int j, std::span<const double> from, std::span<const double> to, double reach) const;
  std::vector<std::pair<int, int>> near_among(std::span<const std::pair<int, int>> candidates,
                                              std::span<const double> from, std::span<const double> to,
                                              double reach) const;

  std::vector<ThickElement> elements_;
  bool all_segments_;
  std::vector<std::size_t> first_box_;  ///< of each element, and of the one after the last
  std::vector<int> owners_;             ///< the element of each box
  std::vector<Box> boxes_, later_;      ///< where things are, and where they end if they move
  BoxTree tree_;
  PartSieve sieve_;  ///< of segments alone, on the whole of their ways
  long builds_ = 0;
};

}  // namespace stiffly
