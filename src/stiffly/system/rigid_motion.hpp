// Particles that move as one rigid body.
#pragma once

#include <Eigen/Core>
#include <span>

namespace stiffly {

/// Where a rigid body is and how that changes: a shift, and a rotation vector about the pivot.
struct RigidMoment {
  Eigen::Vector3d shift, rotation;
  Eigen::Vector3d shift_rate, rotation_rate;
};

/// x = pivot + shift + exp([rotation]_×)(start − pivot) and its derivative, three entries a particle.
void place_rigidly(const RigidMoment& moment, const Eigen::Vector3d& pivot, std::span<const double> start,
                   std::span<double> x, std::span<double> v);

}  // namespace stiffly
