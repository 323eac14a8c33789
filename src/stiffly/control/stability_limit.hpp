// How long a step of an explicit method may be before oscillations grow.
#pragma once

#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

/// Error control alone lets an explicit method work beyond the limit of stability: noise in the fastest
/// oscillations grows until it is as large as the tolerance, and stays in the state, where any method that
/// comes later has to resolve it. The limit is therefore kept beforehand, by the spectral radius of the
/// tangent, which is asked for every few hundred steps.
class StabilityLimit {
 public:
  StabilityLimit(const SecondOrderSystem& system, const IntegratorTraits& traits);
  /// Infinite where the method has none.
  double longest_step(const State& from);
  /// Asks anew at the next step.
  void forget() { steps_ = 0; }

 private:
  const SecondOrderSystem* system_;
  double oscillation_;  ///< radians in a step
  double longest_ = 0;
  long steps_ = 0;  ///< since it was asked for
};

}  // namespace stiffly
