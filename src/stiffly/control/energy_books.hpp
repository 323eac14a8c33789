// Energy that came in and went out of a system over a run.
#pragma once

#include <span>
#include <vector>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// Sums of an EnergyFlow over a run, J.
struct EnergyTotals {
  double supports = 0, fields = 0;
  std::vector<double> dissipated = {};

  double all_dissipated() const;
};

/// ∫ flow dt along the states of a run, by Simpson's rule on each step with the cubic's state in its middle:
/// fourth order, where steps resolve what is damped or driven. What vibrates faster than the steps is not
/// seen: what dampers take from it, or what the method does to it, is not in these sums.
class EnergyBooks {
 public:
  explicit EnergyBooks(const SecondOrderSystem& system);

  /// Whether there is anything to keep books of: otherwise the sums are zero, and cost nothing.
  static bool needed(const SecondOrderSystem& system) {
    return !system.autonomous() || !system.conservative();
  }
  /// To be called with the first state and after every step; the same state twice does no harm.
  void see(const State& state);
  const EnergyTotals& totals() const { return totals_; }
  /// Goes on from a state up to which others had kept these.
  void resume(EnergyTotals totals, const State& state);

 private:
  const SecondOrderSystem& system_;
  bool needed_;
  State last_;
  EnergyFlow flow_;  ///< at the last state
  EnergyTotals totals_;
};

}  // namespace stiffly
