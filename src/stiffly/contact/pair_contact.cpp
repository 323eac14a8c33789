#include "stiffly/contact/pair_contact.hpp"

#include <cmath>
#include <Eigen/LU>

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Rows = Eigen::Matrix<double, 3, 12>;

/// Σ w_i y_i as a matrix on the corners y.
Rows mean_of(const CornerWeights& weights) {
  Rows out = Rows::Zero();
  for (int i = 0; i < 4; ++i) out.block<3, 3>(0, 3 * i).diagonal().setConstant(weights[i]);
  return out;
}

/// How the shares s along the slides follow the corners: from a_p·e + ρ²(s − ½) = 0 with a_p = Σ slide_{p,i}
/// x_i, ds = −(a·a + ρ²)⁻¹ (w_i a_p + slide_{p,i} e)·dx_i.
Eigen::Matrix<double, 2, 12> slides_by_corners(const Proximity& proximity, const Corners& corners) {
  Eigen::Matrix<double, 2, 12> out = Eigen::Matrix<double, 2, 12>::Zero();
  const int p = proximity.freedoms;
  if (p == 0) return out;
  const Vector3d e = proximity.between(corners);
  Eigen::Matrix<double, 3, 2> a = Eigen::Matrix<double, 3, 2>::Zero();
  Eigen::Matrix<double, 2, 12> mixed = Eigen::Matrix<double, 2, 12>::Zero();
  for (int k = 0; k < p; ++k) {
    const CornerWeights& slide = proximity.slides[static_cast<std::size_t>(k)];
    a.col(k) = corners * slide;
    for (int i = 0; i < 4; ++i)
      mixed.block<1, 3>(k, 3 * i) = (proximity.weights[i] * a.col(k) + slide[i] * e).transpose();
  }
  const Eigen::Matrix2d along = a.transpose() * a + proximity.curvature * Eigen::Matrix2d::Identity();
  if (p == 1)
    out.row(0) = -mixed.row(0) / along(0, 0);
  else
    out = -along.inverse() * mixed;
  return out;
}

}  // namespace

PairContact::PairContact(const Proximity& nearest, const Corners& corners) : proximity(nearest) {
  const Vector3d e = nearest.between(corners);
  distance = nearest.distance(corners);
  length = e.norm();
  if (length > 0) normal = e / length;
  if (distance > 0) steepness = length / distance;
}

PairVector PairContact::spread(const Vector3d& a) const {
  PairVector out;
  for (int i = 0; i < 4; ++i) out.segment<3>(3 * i) = proximity.weights[i] * a;
  return out;
}

PairSlip::PairSlip(const PairContact& contact, const Corners& velocities, const FrictionLaw& law)
    : FrictionSlip(velocities * contact.proximity.weights, contact.normal, law) {}

PairMatrix push_tangent(const PairContact& contact, const Corners& corners, const RepulsionLaw& law,
                        double gap) {
  const ProximityDistance d = distance_of(contact.proximity, corners);
  return law.tangent(gap) * d.gradient * d.gradient.transpose() - law.push(gap) * d.hessian;
}

// f_i = −μ p w_i T. With the shares s of the nearest points, e = Σ w_i x_i and n = e/d:
//   de = Σ w_i dx_i + Σ a_k ds_k,  dn = (I − n nᵀ) de/|e|,  dp = −U'' |e|/d n·Σ w_i dx_i,
//   du = Σ w_i dv_i + Σ_k (Σ slide_{k,i} v_i) ds_k,
//   dT = (I − T Tᵀ)/scale · ((I − n nᵀ) du − (n·u) dn − n (u·dn)).
SlipTangent slip_tangent(const PairContact& contact, const Corners& corners, const Corners& velocities,
                         const RepulsionLaw& law, const FrictionLaw& friction, double gap) {
  const Proximity& near = contact.proximity;
  const PairSlip slip(contact, velocities, friction);
  const Vector3d& n = contact.normal;
  const Vector3d& T = slip.direction;
  const double push = law.push(gap);
  const Eigen::Matrix<double, 2, 12> shares = slides_by_corners(near, corners);
  const Rows mean = mean_of(near.weights);
  Rows de = mean, du = Rows::Zero();
  for (int k = 0; k < near.freedoms; ++k) {
    const CornerWeights& slide = near.slides[static_cast<std::size_t>(k)];
    de += (corners * slide) * shares.row(k);
    du += (velocities * slide) * shares.row(k);
  }
  const Matrix3d flat = Matrix3d::Identity() - n * n.transpose();
  const Matrix3d turn = (Matrix3d::Identity() - T * T.transpose()) / slip.scale;
  const Rows dn = flat * de / contact.length;
  const Rows dT = turn * (flat * du - n.dot(slip.velocity) * dn - n * (slip.velocity.transpose() * dn));
  const Eigen::Matrix<double, 1, 12> dp = -law.tangent(gap) * contact.steepness * n.transpose() * mean;
  const double mu = friction.coefficient;
  SlipTangent out;
  out.stiffness = mu * mean.transpose() * (T * dp + push * dT);
  for (int k = 0; k < near.freedoms; ++k)
    for (int i = 0; i < 4; ++i)
      out.stiffness.block<3, 12>(3 * i, 0) +=
          mu * push * near.slides[static_cast<std::size_t>(k)][i] * T * shares.row(k);
  out.damping = mu * push * mean.transpose() * turn * flat * mean;
  return out;
}

}  // namespace stiffly
