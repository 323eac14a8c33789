// How things push each other apart that come near.
#pragma once

namespace stiffly {

/// U(g) = κ(d − g)³/(3d) for gaps g below the range d: twice continuously differentiable where it sets in,
/// κd at contact (g = 0), where it has the stiffness 2κ, and growing inside, so that nothing is let through
/// for good.
struct RepulsionLaw {
  double stiffness = 0;  ///< κ, N/m
  double range = 0;      ///< d, m

  double energy(double gap) const {
    const double depth = range - gap;
    return depth > 0 ? stiffness * depth * depth * depth / (3 * range) : 0;
  }
  /// −U'
  double push(double gap) const {
    const double depth = range - gap;
    return depth > 0 ? stiffness * depth * depth / range : 0;
  }
  /// U''
  double tangent(double gap) const {
    const double depth = range - gap;
    return depth > 0 ? 2 * stiffness * depth / range : 0;
  }
};

/// Coulomb's friction, made smooth: f = −μ p T(w) with T(w) = w/√(|w|² + v₀²), where p is the push and w the
/// velocity along the surface. What should stick creeps by about v₀.
struct FrictionLaw {
  double coefficient = 0;  ///< μ
  double speed = 1e-3;     ///< v₀, m/s
};

/// Throws InputError unless their numbers are positive and finite; friction may be 0.
void check(const RepulsionLaw& law, const FrictionLaw& friction);

}  // namespace stiffly
