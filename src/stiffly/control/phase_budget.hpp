// What all steps together may err by, where errors stay.
#pragma once

#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

/// A vibration that every step delays by a little is out of phase after many: where nothing damps or drives a
/// system, what steps err by adds up over the run. Methods that lose energy on the way are held by their
/// EnergyBudget. Those that keep it show nothing there; of them, all estimates together may be some times the
/// tolerance, each in proportion to the time it covers. That needs an estimate of the very result, not of a
/// less accurate one beside it.
class PhaseBudget {
 public:
  PhaseBudget(const SecondOrderSystem& system, const IntegratorTraits& method, double duration,
              double tolerance);

  /// An estimate for a step of h, in parts of what it may be: at most 1 is good.
  double share(double error, double h) const;

 private:
  double rate_;  ///< that errors may grow at, 1/s; infinite where they do not stay
};

}  // namespace stiffly
