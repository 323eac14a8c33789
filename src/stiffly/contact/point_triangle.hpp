// The point of a triangle that is nearest to another point.
#pragma once

#include <array>
#include <Eigen/Core>

namespace stiffly {

using TriangleCorners = std::array<Eigen::Vector3d, 3>;

/// Its weights at the corners, not negative, with sum 1: exact zeros at those that it does not depend on, so
/// that one of them means a corner, two an edge, three the face. Flat and collapsed triangles are no trouble.
Eigen::Vector3d nearest_weights(const Eigen::Vector3d& x, const TriangleCorners& corners);

/// The share of b in the point of the segment from a to b that is nearest to x, 0 … 1.
double nearest_share(const Eigen::Vector3d& x, const Eigen::Vector3d& a, const Eigen::Vector3d& b);

}  // namespace stiffly
