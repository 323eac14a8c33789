#include "stiffly/forces/motor.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "stiffly/error.hpp"
#include "stiffly/linalg/matrix3.hpp"

namespace stiffly {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

std::vector<int> both(std::vector<int> rotor, const std::vector<int>& stator) {
  for (const std::vector<int>* side : {static_cast<const std::vector<int>*>(&rotor), &stator})
    if (side->size() < 3)
      throw InputError(fmt::format("motor: a {} has three particles at least, not {}",
                                   side == &stator ? "stator" : "rotor", side->size()));
  rotor.insert(rotor.end(), stator.begin(), stator.end());
  return rotor;
}

}  // namespace

Motor::Motor(std::vector<int> rotor, const std::vector<int>& stator, std::size_t particles, Torque torque,
             bool varies)
    : ElementForce(ElementAssembly(std::array{both(rotor, stator)}, particles, "motor")),
      rotor_(static_cast<Index>(rotor.size())),
      torque_(std::move(torque)),
      varies_(varies) {}

/// Rotor or stator.
struct Motor::Side {
  Index first, count;  ///< among all of its particles
  double sign;         ///< of the torque on it
  Vector3d centre;
  Eigen::Matrix3Xd arm;  ///< r_i
  Matrix3d inverse;      ///< J⁻¹
  Vector3d spin;         ///< ω

  Side(const Eigen::Matrix3Xd& x, Index first_, Index count_, double sign_)
      : first(first_),
        count(count_),
        sign(sign_),
        centre(x.middleCols(first_, count_).rowwise().mean()),
        arm(x.middleCols(first_, count_).colwise() - centre) {
    const Matrix3d J = arm.squaredNorm() * Matrix3d::Identity() - arm * arm.transpose();
    bool invertible = false;
    double determinant = 0;
    J.computeInverseAndDetWithCheck(inverse, determinant, invertible, 1e-12 * std::pow(arm.squaredNorm(), 3));
    if (!invertible)
      throw SimulationError(
          fmt::format("motor: the particles of its {} are on one line, about which they cannot be turned",
                      sign > 0 ? "rotor" : "stator"));
  }
  bool has(Index particle) const { return particle >= first && particle < first + count; }
};

struct Motor::Sides {
  Side rotor, stator;
  double torque, distance;
  Vector3d axis;

  Sides(const Eigen::Matrix3Xd& x, Index count, double tau)
      : rotor(x, 0, count, 1), stator(x, count, x.cols() - count, -1), torque(tau) {
    const Vector3d between = rotor.centre - stator.centre;
    distance = between.norm();
    if (!(distance > 0))
      throw SimulationError("motor: the centres of rotor and stator are at one place: it has no axis");
    axis = between / distance;
    for (Side* side : {&rotor, &stator}) side->spin = side->inverse * (side->sign * torque * axis);
  }
};

Motor::Sides Motor::sides(const Configuration& q) const {
  return Sides(elements_.gather<Eigen::Dynamic>(0, q.x), rotor_, torque_(q.time));
}

Eigen::Matrix3Xd Motor::forces(const Configuration& q) const {
  const Sides s = sides(q);
  Eigen::Matrix3Xd out(3, s.rotor.count + s.stator.count);
  for (const Side* side : {&s.rotor, &s.stator})
    out.middleCols(side->first, side->count) = cross_matrix(side->spin) * side->arm;
  return out;
}

void Motor::add_force(const Configuration& q, std::span<double> f) const {
  elements_.add_force(0, forces(q), f);
}

ForcePower Motor::power(const Configuration& q) const {
  const Eigen::Matrix3Xd f = forces(q);
  return {.dissipated = -f.cwiseProduct(elements_.gather<Eigen::Dynamic>(0, q.v)).sum(),
          .supports = elements_.power_of_supports(0, f, q)};
}

// On each side, as Σ r = 0,
//   ∂ω/∂x_k = J⁻¹ (±τ ∂a/∂x_k − N_k),  N_k = 2 ω r_kᵀ − (r_k·ω) I − r_k ωᵀ where k is on it,
//   ∂f_i/∂x_k = −[r_i]× ∂ω/∂x_k + [ω]× (δ_ik − 1/n) where k is on it,
// and a turns by (I − aaᵀ)/d with the mean of the rotor, the other way with that of the stator.
void Motor::add_tangent(const Configuration& q, Tangent& tangent) const {
  const Sides s = sides(q);
  const Index n = s.rotor.count + s.stator.count;
  Eigen::MatrixXd K(3 * n, 3 * n);
  const Matrix3d turning = s.torque / s.distance * (Matrix3d::Identity() - s.axis * s.axis.transpose());
  for (const Side* side : {&s.rotor, &s.stator})
    for (Index k = 0; k < n; ++k) {
      const double mean = s.rotor.has(k) ? 1.0 / static_cast<double>(s.rotor.count)
                                         : -1.0 / static_cast<double>(s.stator.count);
      Matrix3d change = side->sign * mean * turning;
      if (side->has(k)) {
        const Vector3d r = side->arm.col(k - side->first);
        change -= 2 * side->spin * r.transpose() - r.dot(side->spin) * Matrix3d::Identity() -
                  r * side->spin.transpose();
      }
      change = side->inverse * change;
      for (Index i = side->first; i < side->first + side->count; ++i) {
        Matrix3d block = -cross_matrix(side->arm.col(i - side->first)) * change;
        if (side->has(k))
          block += ((i == k ? 1.0 : 0.0) - 1.0 / static_cast<double>(side->count)) * cross_matrix(side->spin);
        K.block<3, 3>(3 * i, 3 * k) = -block;
      }
    }
  elements_.add_matrix(0, (0.5 * (K + K.transpose())).eval(), tangent.stiffness);
  elements_.add_matrix(0, (0.5 * (K - K.transpose())).eval(), tangent.circulatory);
}

}  // namespace stiffly
