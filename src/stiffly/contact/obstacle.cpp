#include "stiffly/contact/obstacle.hpp"

#include <utility>

namespace stiffly {

// A rigid motion is known by where it brings the origin and the three units, and how fast.
PlacedShape::PlacedShape(const SolidShape& shape, const Motion* motion, double time)
    : shape_(&shape), moves_(motion != nullptr) {
  if (!moves_) return;
  Eigen::Matrix<double, 3, 4> start = Eigen::Matrix<double, 3, 4>::Zero(), x, v;
  start.rightCols<3>().setIdentity();
  const auto entries = [](auto& columns) { return std::span(columns.data(), 12); };
  motion->place(time, entries(std::as_const(start)), entries(x), entries(v));
  origin_ = x.col(0);
  rate_ = v.col(0);
  turn_ = x.rightCols<3>().colwise() - origin_;
  spin_ = (v.rightCols<3>().colwise() - rate_).eval() * turn_.transpose();
}

std::optional<Distance> PlacedShape::within(double reach, const Eigen::Vector3d& x) const {
  if (!moves_) return shape_->within(reach, x);
  std::optional<Distance> out = shape_->within(reach, turn_.transpose() * (x - origin_));
  if (out) {
    out->gradient = turn_ * out->gradient;
    out->hessian = turn_ * out->hessian * turn_.transpose();
  }
  return out;
}

}  // namespace stiffly
