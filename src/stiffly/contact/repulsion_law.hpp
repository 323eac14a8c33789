// How things push each other apart that come near.
#pragma once

#include <cmath>

#include "stiffly/limits.hpp"

namespace stiffly {

/// U(g) = κ(d − g)³/(3d) for gaps g below the range d: twice continuously differentiable where it sets in,
/// κd at contact (g = 0), where it has the stiffness 2κ, and growing inside, so that nothing is let through
/// for good. A barrier is −κ(d − g)² ln(g/d), without end where things touch. [Li et al. 2020]
struct RepulsionLaw {
  double stiffness = 0;  ///< κ, N/m
  double range = 0;      ///< d, m
  bool barrier = false;
  /// Whether it is told what touches, and steps under a tolerance are short enough to see it come. Hair lies
  /// within the range of its head all the time.
  bool watched = true;

  double energy(double gap) const {
    const double depth = range - gap;
    if (!(depth > 0)) return 0;
    if (barrier) return gap > 0 ? -stiffness * depth * depth * std::log(gap / range) : infinite;
    return stiffness * depth * depth * depth / (3 * range);
  }
  /// −U'
  double push(double gap) const {
    const double depth = range - gap;
    if (!(depth > 0)) return 0;
    if (barrier) return gap > 0 ? stiffness * depth * (depth / gap - 2 * std::log(gap / range)) : infinite;
    return stiffness * depth * depth / range;
  }
  /// U''
  double tangent(double gap) const {
    const double depth = range - gap;
    if (!(depth > 0)) return 0;
    if (barrier)
      return gap > 0 ? stiffness * (depth / gap * (4 + depth / gap) - 2 * std::log(gap / range)) : infinite;
    return 2 * stiffness * depth / range;
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
