// Where two things are nearest to each other, and how their distance changes with their corners.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <Eigen/Core>
#include <span>

namespace stiffly {

/// Up to four corners, one after the other: those of two segments, or of a point and a triangle.
using Corners = Eigen::Matrix<double, 3, 4>;
using CornerWeights = Eigen::Vector4d;

/// The line between two nearest points is e = Σ w_i x_i. Where these points can slide along edges or faces,
/// the weights change along `slides`: the distance is the least over them.
struct Proximity {
  CornerWeights weights = CornerWeights::Zero();
  int freedoms = 0;
  std::array<CornerWeights, 2> slides = {CornerWeights::Zero(), CornerWeights::Zero()};
  /// What is added to |e|², and the second derivative of that along each slide, m²: 0 but for rounded
  /// distances.
  double added = 0, curvature = 0;

  Eigen::Vector3d between(const Corners& corners) const { return corners * weights; }
  double distance(const Corners& corners) const {
    return std::sqrt(std::max(0.0, between(corners).squaredNorm() + added));
  }
};

/// Segments from corner 0 to 1 and from 2 to 3. Where they are parallel and side by side, the middle of the
/// part that they have in common is taken. Segments without length are points.
Proximity nearest_of_segments(const Corners& corners);
/// The same for segments of that thickness, with a distance whose derivatives do not jump where they are
/// parallel, as the nearest points of segments side by side do from one end to the other:
///   D² = min |x(s) − y(t)|² + ρ² ((s − ½)² + (t − ½)²) − ρ²/2 over both segments,  ρ² = 0.02 thickness².
/// It is never more than the distance, and as far as segments do not overlap less by a 190th of the thickness
/// at most.
Proximity rounded_nearest_of_segments(const Corners& corners, double thickness);
inline constexpr double most_rounded_off = 1.0 / 190;  ///< thicknesses
/// √1.01: as long as segments do not overlap, D changes by no more than so many times the most that a corner
/// of one moves against a corner of the other. Its gradient has w_i e/D, and |e|² ≤ D² + ρ²/2.
inline constexpr double most_rounded_steepness = 1.005;
/// A point, corner 0, and the triangle of the others.
Proximity nearest_of_point_and_triangle(const Corners& corners);
/// Points, corners 0 and 1.
Proximity nearest_of_points();

/// The distance, which is |e| where nothing is added, and its derivatives by the corners, one after the
/// other.
struct ProximityDistance {
  double value = 0;
  Eigen::Matrix<double, 12, 1> gradient = Eigen::Matrix<double, 12, 1>::Zero();
  Eigen::Matrix<double, 12, 12> hessian = Eigen::Matrix<double, 12, 12>::Zero();
};

/// At distance 0 there is no direction, and derivatives are left at 0.
ProximityDistance distance_of(const Proximity& proximity, const Corners& corners);

}  // namespace stiffly
