// Where a segment comes nearest to a solid.
#pragma once

#include <cmath>
#include <optional>

#include "stiffly/contact/obstacle.hpp"

namespace stiffly {

/// Finds the places between the ends of a segment at which its distance from a shape is least, each among its
/// neighbours, and below a reach. Distances change by no more than one moves: parts that are too far for that
/// are passed over, others are divided, and what is left is searched where the distance falls from one end
/// and rises to the other, by bisection and Newton's method in turn. Two low places in an eighth of the
/// segment may count as one. From a convex shape distances are convex: there is one low place at most, and it
/// is not below the tangents at the ends.
class LowPoints {
 public:
  LowPoints(const PlacedShape& shape, double reach) : shape_(shape), reach_(reach) {}

  /// visit(s, distance) at (1 − s) from + s to. The distances at its ends are given, where they are no
  /// further than the reach and the length: else all of it is out of reach.
  template <class Visit>
  void between(const Eigen::Vector3d& from, const Eigen::Vector3d& to, const std::optional<Distance>& first,
               const std::optional<Distance>& last, const Visit& visit) const {
    if (!first || !last) return;
    const Eigen::Vector3d way = to - from;
    search({from, way, way.norm()}, {0, *first}, {1, *last}, shape_.is_convex() ? 0 : divisions, visit);
  }

 private:
  static constexpr int divisions = 3, most_looks = 80;
  static constexpr double same_place = 1e-12;  ///< of the segment
  struct Line {
    Eigen::Vector3d from, way;
    double length;
    Eigen::Vector3d at(double s) const { return from + s * way; }
  };
  struct Place {
    double s;
    Distance distance;
    double slope(const Line& line) const { return distance.gradient.dot(line.way); }
  };
  Place look(const Line& line, double s) const {
    return {s, *shape_.within(std::numeric_limits<double>::infinity(), line.at(s))};
  }

  /// Where they meet: a + (s − s_a) a' = b + (s − s_b) b'.
  static double least_of_tangents(const Line& line, const Place& a, const Place& b) {
    const double down = a.slope(line), up = b.slope(line);
    const double s = (a.distance.value - b.distance.value - down * a.s + up * b.s) / (up - down);
    return a.distance.value + (s - a.s) * down;
  }

  template <class Visit>
  void search(const Line& line, Place a, Place b, int depth, const Visit& visit) const {
    if ((a.distance.value + b.distance.value - (b.s - a.s) * line.length) / 2 >= reach_) return;
    if (depth > 0) {
      const Place middle = look(line, (a.s + b.s) / 2);
      search(line, a, middle, depth - 1, visit);
      search(line, middle, b, depth - 1, visit);
      return;
    }
    if (a.slope(line) >= 0 || b.slope(line) < 0) return;
    Place last = b;
    for (int i = 0; i < most_looks; ++i) {
      if (shape_.is_convex() && least_of_tangents(line, a, b) >= reach_) return;
      double s = last.s - last.slope(line) / line.way.dot(last.distance.hessian * line.way);
      if (i % 2 == 0 || !(s > a.s && s < b.s)) s = (a.s + b.s) / 2;
      const bool there = std::abs(s - last.s) < same_place;
      last = look(line, s);
      (last.slope(line) < 0 ? a : b) = last;
      if (there) break;
    }
    if (last.s < 1 && last.distance.value < reach_) visit(last.s, last.distance);
  }

  const PlacedShape& shape_;
  double reach_;
};

}  // namespace stiffly
