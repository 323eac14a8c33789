// Distances from points and straight lines, by what lies between.
#pragma once

#include <Eigen/Core>

#include "stiffly/contact/solid_shape.hpp"

namespace stiffly {

/// Where nothing lies between, up to the rounding of coordinates: there the direction is another.
struct Otherwise {
  Eigen::Vector3d direction;
  double below = 0;  ///< m
};

/// From a point, `offset` away from it.  ∇d = n,  ∇²d = (I − n nᵀ)/d
inline Distance distance_at(const Eigen::Vector3d& offset, const Otherwise& otherwise) {
  const double d = offset.norm();
  if (!(d > otherwise.below)) return {0, otherwise.direction.normalized(), Eigen::Matrix3d::Zero()};
  const Eigen::Vector3d n = offset / d;
  return {d, n, (Eigen::Matrix3d::Identity() - n * n.transpose()) / d};
}

/// From a line of direction t, which has length 1:  ∇²d = (I − n nᵀ − t tᵀ)/d
inline Distance distance_along(const Eigen::Vector3d& offset, const Eigen::Vector3d& t,
                               const Otherwise& otherwise) {
  Distance out = distance_at(offset, otherwise);
  if (out.value > 0) out.hessian -= t * t.transpose() / out.value;
  return out;
}

/// Some direction across a, which is not zero.
inline Eigen::Vector3d any_across(const Eigen::Vector3d& a) {
  Eigen::Index least = 0;
  a.cwiseAbs().minCoeff(&least);
  const Eigen::Vector3d unit = Eigen::Vector3d::Unit(least);
  return (unit - a.dot(unit) / a.squaredNorm() * a).normalized();
}

}  // namespace stiffly
