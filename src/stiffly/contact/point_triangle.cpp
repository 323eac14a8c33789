#include "stiffly/contact/point_triangle.hpp"

#include <algorithm>
#include <Eigen/Geometry>
#include <limits>

namespace stiffly {

double nearest_share(const Eigen::Vector3d& x, const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  const Eigen::Vector3d along = b - a;
  const double length2 = along.squaredNorm();
  return length2 > 0 ? std::clamp(along.dot(x - a) / length2, 0.0, 1.0) : 0.0;
}

Eigen::Vector3d nearest_weights(const Eigen::Vector3d& x, const TriangleCorners& corners) {
  // Below this sine of its angles a triangle is as good as its edges, to the length times as much.
  constexpr double flat = 1e-10;
  const Eigen::Vector3d ab = corners[1] - corners[0], ac = corners[2] - corners[0], ax = x - corners[0];
  const Eigen::Vector3d normal = ab.cross(ac);
  const double squared = normal.squaredNorm();
  if (squared > flat * flat * ab.squaredNorm() * ac.squaredNorm()) {
    const double b = normal.dot(ax.cross(ac)) / squared, c = normal.dot(ab.cross(ax)) / squared;
    if (b > 0 && c > 0 && b + c < 1) return {1 - (b + c), b, c};
  }
  double least = std::numeric_limits<double>::infinity();
  Eigen::Vector3d out = Eigen::Vector3d::UnitX();
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const double share = nearest_share(x, corners[i], corners[j]);
    const double distance = (corners[i] + share * (corners[j] - corners[i]) - x).squaredNorm();
    if (!(distance < least)) continue;
    least = distance;
    out.setZero();
    out[static_cast<Eigen::Index>(i)] = 1 - share;
    out[static_cast<Eigen::Index>(j)] = share;
  }
  return out;
}

}  // namespace stiffly
