#include "stiffly/system/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>

#include "stiffly/error.hpp"
#include "stiffly/linalg/matrix3.hpp"
#include "stiffly/system/rigid_motion.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// exp([r]_×)
Matrix3d rotation_of(const Vector3d& r) {
  const double angle = r.norm();
  if (angle == 0) return Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, r / angle).toRotationMatrix();
}

/// The angular velocity of exp([r]_×) as r changes by `rate`:
/// ω = (I + (1 − cos θ)/θ² [r]_× + (θ − sin θ)/θ³ [r]_×²) r', with θ = |r|.
Vector3d angular_velocity(const Vector3d& r, const Vector3d& rate) {
  const double angle = r.norm(), square = angle * angle;
  const bool small = angle < 1e-2;  // the quotients lose their digits: series
  const double first = small ? 0.5 - square / 24 : (1 - std::cos(angle)) / square;
  const double second = small ? 1.0 / 6 - square / 120 : (angle - std::sin(angle)) / (square * angle);
  const Matrix3d cross = cross_matrix(r);
  return rate + first * cross * rate + second * cross * cross * rate;
}

}  // namespace

Vector3d RigidVelocity::at(const Vector3d& x) const { return linear + angular.cross(x); }

// The origin and the three unit vectors, carried along: their arms are the columns of R, whose velocities are
// those of [ω]_× R.
std::optional<RigidVelocity> rigid_velocity(const Motion& motion, double t) {
  Eigen::Matrix<double, 3, 4> start, x, v;
  start << Vector3d::Zero(), Matrix3d::Identity();
  const auto entries = [](auto& matrix) { return std::span(matrix.data(), 12); };
  motion.place(t, entries(start), entries(x), entries(v));
  const Matrix3d R = x.rightCols<3>().colwise() - x.col(0), rate = v.rightCols<3>().colwise() - v.col(0);
  const Matrix3d cross = rate * R.transpose();
  const double rounding = 1e-9 * (1 + x.col(0).norm());
  if (!(R.transpose() * R).isIdentity(rounding) ||
      !(cross + cross.transpose()).isZero(rounding * (1 + cross.norm())))
    return std::nullopt;
  const Vector3d spin(cross(2, 1), cross(0, 2), cross(1, 0));
  return RigidVelocity{v.col(0) - spin.cross(x.col(0)), spin};
}

// Slopes s with s_0 = s_n = 0 and, for continuous second derivatives with h_i = t_{i+1} − t_i, d_i = y_{i+1}
// − y_i,
//   s_{i−1}/h_{i−1} + 2(1/h_{i−1} + 1/h_i) s_i + s_{i+1}/h_i = 3(d_{i−1}/h²_{i−1} + d_i/h²_i):
// tridiagonal, solved by elimination without pivots.
KeyframeMotion::KeyframeMotion(std::vector<Keyframe> keyframes, const Vector3d& pivot) : pivot_(pivot) {
  if (keyframes.empty()) throw InputError("a motion needs at least one keyframe");
  for (const Keyframe& k : keyframes) {
    const auto fail = [&](const char* what) {
      throw InputError(fmt::format("keyframe {}: {}", nodes_.size(), what));
    };
    if (!std::isfinite(k.time) || !k.shift.allFinite() || !k.rotation.allFinite())
      fail("all values must be finite");
    if (!nodes_.empty() && !(k.time > nodes_.back().time))
      fail("its time must be after that of the one before");
    Node node{.time = k.time, .value = {}, .slope = Coordinates::Zero()};
    node.value << k.shift, k.rotation;
    nodes_.push_back(node);
  }
  std::vector<double> upper(nodes_.size(), 0.0);
  for (std::size_t i = 1; i + 1 < nodes_.size(); ++i) {
    const double before = 1 / (nodes_[i].time - nodes_[i - 1].time),
                 after = 1 / (nodes_[i + 1].time - nodes_[i].time);
    const double pivot_entry = 2 * (before + after) - before * upper[i - 1];
    const Coordinates right = 3 * before * before * (nodes_[i].value - nodes_[i - 1].value) +
                              3 * after * after * (nodes_[i + 1].value - nodes_[i].value);
    upper[i] = after / pivot_entry;
    nodes_[i].slope = (right - before * nodes_[i - 1].slope) / pivot_entry;
  }
  for (std::size_t i = nodes_.size() - 1; i-- > 1;) nodes_[i].slope -= upper[i] * nodes_[i + 1].slope;
}

// The cubic with the values and slopes at both ends [Hermite].
KeyframeMotion::Moment KeyframeMotion::at(double t) const {
  if (t <= nodes_.front().time) return {nodes_.front().value, Coordinates::Zero()};
  if (t >= nodes_.back().time) return {nodes_.back().value, Coordinates::Zero()};
  const auto next = std::upper_bound(nodes_.begin(), nodes_.end(), t,
                                     [](double time, const Node& node) { return time < node.time; });
  const Node &a = *(next - 1), &b = *next;
  const double h = b.time - a.time, s = (t - a.time) / h, r = 1 - s;
  return {
      a.value * r * r * (1 + 2 * s) + b.value * s * s * (1 + 2 * r) + h * s * r * (r * a.slope - s * b.slope),
      6 * s * r / h * (b.value - a.value) + r * (1 - 3 * s) * a.slope + s * (3 * s - 2) * b.slope};
}

void place_rigidly(const RigidMoment& moment, const Vector3d& pivot, std::span<const double> start,
                   std::span<double> x, std::span<double> v) {
  const Vector3d origin = pivot + moment.shift;
  const Matrix3d R = rotation_of(moment.rotation);
  const Vector3d spin = angular_velocity(moment.rotation, moment.rotation_rate);
  for (std::size_t i = 0; i < start.size(); i += 3) {
    const Vector3d arm = R * (Vector3d::Map(start.data() + i) - pivot);
    Vector3d::Map(x.data() + i) = origin + arm;
    Vector3d::Map(v.data() + i) = moment.shift_rate + spin.cross(arm);
  }
}

void KeyframeMotion::place(double t, std::span<const double> start, std::span<double> x,
                           std::span<double> v) const {
  const Moment moment = at(t);
  place_rigidly(
      {moment.value.head<3>(), moment.value.tail<3>(), moment.rate.head<3>(), moment.rate.tail<3>()}, pivot_,
      start, x, v);
}

}  // namespace stiffly
