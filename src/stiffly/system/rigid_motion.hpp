// Particles that move as one rigid body.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

namespace stiffly {

class Motion;

/// Where a rigid body is and how that changes: a shift, and a rotation vector about the pivot.
struct RigidMoment {
  Eigen::Vector3d shift, rotation;
  Eigen::Vector3d shift_rate, rotation_rate;
};

/// x = pivot + shift + exp([rotation]_×)(start − pivot) and its derivative, three entries a particle.
void place_rigidly(const RigidMoment& moment, const Eigen::Vector3d& pivot, std::span<const double> start,
                   std::span<double> x, std::span<double> v);

/// Velocities of a rigid body: v(x) = linear + angular × x.
struct RigidVelocity {
  Eigen::Vector3d linear, angular;

  Eigen::Vector3d at(const Eigen::Vector3d& x) const;
};

/// Of particles that follow the motion; none where it is not that of a rigid body.
std::optional<RigidVelocity> rigid_velocity(const Motion& motion, double t);

}  // namespace stiffly
