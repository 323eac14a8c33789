#include <algorithm>
#include <Eigen/Geometry>
#include <numbers>

#include "stiffly/plot/render.hpp"

namespace stiffly {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// Rows right, up, towards the viewer, for a viewer that stands in direction `azimuth` and `elevation`.
Eigen::Matrix3d view_axes(double azimuth, double elevation) {
  const Eigen::Vector3d towards(std::cos(elevation) * std::cos(azimuth),
                                std::cos(elevation) * std::sin(azimuth), std::sin(elevation));
  const Eigen::Vector3d right = Eigen::Vector3d::UnitZ().cross(towards).normalized();
  Eigen::Matrix3d axes;
  axes << right.transpose(), towards.cross(right).transpose(), towards.transpose();
  return axes;
}

}  // namespace

Camera::Camera(std::span<const std::array<double, 3>> positions) {
  Eigen::Vector3d low = Eigen::Vector3d::Map(positions.front().data()), high = low;
  for (const auto& p : positions) {
    low = low.cwiseMin(Eigen::Vector3d::Map(p.data()));
    high = high.cwiseMax(Eigen::Vector3d::Map(p.data()));
  }
  const Eigen::Vector3d extent = high - low;
  ground_ = low.z();
  const double flat = 0.02 * extent.maxCoeff();
  const double azimuth = extent.y() <= flat ? -90 * degree : extent.x() <= flat ? 0 : -62 * degree;
  axes_ = view_axes(azimuth, extent.z() <= flat ? 50 * degree : 16 * degree);

  low_ = high_ = axes_.topRows<2>() * Eigen::Vector3d::Map(positions.front().data());
  for (const auto& p : positions) {
    const Eigen::Vector2d q = axes_.topRows<2>() * Eigen::Vector3d::Map(p.data());
    low_ = low_.cwiseMin(q);
    high_ = high_.cwiseMax(q);
  }
  // A point or a line still needs room around it.
  const Eigen::Vector2d size = high_ - low_;
  const double least = std::max(0.2 * size.maxCoeff(), 1e-9);
  const Eigen::Vector2d missing = 0.5 * (Eigen::Vector2d::Constant(least) - size).cwiseMax(0);
  low_ -= missing;
  high_ += missing;
}

void Camera::fit(int width, int height, double margin) {
  const Eigen::Vector2d size = high_ - low_;
  scale_ = std::min((width - 2 * margin) / size.x(), (height - 2 * margin) / size.y());
  centre_ = {0.5 * width, 0.5 * height};
}

Eigen::Vector3d Camera::project(const Eigen::Vector3d& x) const {
  const Eigen::Vector3d q = axes_ * x;
  const Eigen::Vector2d middle = 0.5 * (low_ + high_);
  return {centre_.x() + scale_ * (q.x() - middle.x()), centre_.y() - scale_ * (q.y() - middle.y()),
          scale_ * q.z()};
}

}  // namespace stiffly
