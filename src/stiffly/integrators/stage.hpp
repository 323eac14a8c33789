// The equation behind every implicit stage: N equations for N accelerations.
#pragma once

#include "stiffly/linalg/particle_constraints.hpp"
#include "stiffly/linalg/vector.hpp"

namespace stiffly {

/// Find the acceleration z with   M(μz + w) = f(t, p + bz, q + cz).
///
/// A stage Y = (X, V) = base + a h F(Y) of a first-order method is one of these, with b = (ah)², c = ah:
/// second-order structure turns 2N unknowns into N. The Newton matrix is S = μM + cC + bK.
struct Stage {
  double t = 0;
  Vector p = {}, q = {};
  double b = 0, c = 0;
  double mu = 1;
  Vector w = {};  ///< empty: zero

  /// x ← p + bz, v ← q + cz
  void place(const Vector& z, VectorView x, VectorView v) const;
  /// For Y = (x, v) + a h F(t, Y).
  static Stage first_order(double t, ConstVectorView x, ConstVectorView v, double ah);
};

/// Changes z so that q + cz has the prescribed velocities; corrections that the projector leaves keep them.
void prescribe(const ParticleConstraints& constraints, const Stage& stage, Vector& z);

}  // namespace stiffly
