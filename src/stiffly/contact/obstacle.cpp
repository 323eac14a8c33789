#include "stiffly/contact/obstacle.hpp"

#include <algorithm>
#include <utility>

namespace stiffly {
namespace {

/// A rigid motion is known by where it brings the origin and the three units, and how fast.
struct Frame {
  Eigen::Matrix<double, 3, 4> x, v;

  Frame(const Motion& motion, double time) {
    Eigen::Matrix<double, 3, 4> start = Eigen::Matrix<double, 3, 4>::Zero();
    start.rightCols<3>().setIdentity();
    const auto entries = [](auto& columns) { return std::span(columns.data(), 12); };
    motion.place(time, entries(std::as_const(start)), entries(x), entries(v));
  }
};

}  // namespace

PlacedShape::PlacedShape(const SolidShape& shape, const Motion* motion, double time)
    : shape_(&shape), moves_(motion != nullptr) {
  if (!moves_) return;
  const auto& [x, v] = Frame(*motion, time);
  origin_ = x.col(0);
  rate_ = v.col(0);
  turn_ = x.rightCols<3>().colwise() - origin_;
  spin_ = (v.rightCols<3>().colwise() - rate_).eval() * turn_.transpose();
}

void Obstacle::add_drives(double time, std::vector<double>& out) const {
  if (!motion_) return;
  const Frame frame(*motion_, time);
  out.insert(out.end(), frame.x.data(), frame.x.data() + frame.x.size());
}

double Obstacle::carried(double from, double to) const {
  return motion_ ? (Frame(*motion_, to).x - Frame(*motion_, from).x).colwise().norm().maxCoeff() : 0;
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

ObstacleWay::ObstacleWay(const PlacedShape& start, const PlacedShape& end)
    : start_(start),
      shift_(end.origin_ - start.origin_),
      turn_((end.turn_ * start.turn_.transpose()).eval()) {}

PlacedShape ObstacleWay::at(double share) const {
  PlacedShape out = start_;
  if (!start_.moves_) return out;
  out.origin_ += share * shift_;
  out.turn_ = Eigen::AngleAxisd(share * turn_.angle(), turn_.axis()) * start_.turn_;
  return out;
}

// With o the origin and ω the angle of the turn, a point moves against the shape by no more than
//   |(x₁ − x₀) − (o₁ − o₀)| + ω max |x − o|,
// and the maximum of what is convex is where the way begins or ends.
double ObstacleWay::approach(const Eigen::Vector3d& x0, const Eigen::Vector3d& x1) const {
  const double arm = std::max((x0 - start_.origin_).norm(), (x1 - start_.origin_ - shift_).norm());
  return (x1 - x0 - shift_).norm() + turn_.angle() * arm;
}

std::vector<PlacedShape> placed(std::span<const Obstacle> obstacles, double time) {
  std::vector<PlacedShape> out;
  out.reserve(obstacles.size());
  for (const Obstacle& obstacle : obstacles) out.push_back(obstacle.at(time));
  return out;
}

}  // namespace stiffly
