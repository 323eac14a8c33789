// Energy that came in and went out of a system over a run.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stiffly/system/support_balance.hpp"

namespace stiffly {

/// Sums of an EnergyFlow over a run, J.
struct EnergyTotals {
  double supports = 0, fields = 0;
  std::vector<double> dissipated = {};
  double unresolved = 0;               ///< of these, that nobody knows: vibrations within the steps
  std::optional<double> contact = {};  ///< taken where contact was projected away

  double all_dissipated() const;
};

/// What went in and out of a system in a step, by books of energy, J.
struct EnergyTransfer {
  double work = 0;   ///< by which that changes the energy
  double moved = 0;  ///< that dampers took or wind brought
};

/// ∫ flow dt along the states of a run, by Simpson's rule on each step with the cubic's state in its middle:
/// fourth order, where steps resolve what is damped or driven. What vibrates faster than the steps is not
/// seen: what dampers take from it, or what the method does to it, is not in these sums. What supports bring
/// that move as one rigid body comes from the balance of momentum, which sees it all.
class EnergyBooks {
 public:
  explicit EnergyBooks(const SecondOrderSystem& system);

  /// Whether there is anything to keep books of: otherwise the sums are zero, and cost nothing.
  static bool needed(const SecondOrderSystem& system) {
    return !system.autonomous() || !system.conservative();
  }
  /// Whether they can be kept: a system that damps without saying by what cannot have any.
  static bool possible(const SecondOrderSystem& system) {
    return needed(system) && (system.conservative() || !system.dissipators().empty());
  }
  /// To be called with the first state and after every step; the same state twice does no harm.
  /// `vibrations`: whether what states at the ends of steps have of vibrations is true, and not what the
  /// method has left of them. Steps may then be long and right, and these sums off: how far, is noted.
  void see(const State& state, bool vibrations = false);
  /// The same, and what that adds.
  EnergyTransfer transfer(const State& state);
  const EnergyTotals& totals() const { return totals_; }
  /// Goes on from a state up to which others had kept these.
  void resume(EnergyTotals totals, const State& state);
  /// What was learnt on the way, so that these and others that go on from the last state do so alike.
  void forget();

 private:
  /// Whether the velocities at the ends of steps tell what a damper takes. Over some steps they make at most
  /// half as much again as mean velocities do, where they resolve it; beyond that, the latter are believed.
  class Damper {
   public:
    /// Of a step, J.
    double believed(double by_rates, double by_ends);

   private:
    double rates_ = 0, ends_ = 0;  ///< sums that fade
  };

  /// W, at which the energy changes that fields give to a body standing at the origin.
  double field_rate(double time) const;

  const SecondOrderSystem* system_;
  bool needed_;
  State last_;
  /// Positions that fields are looked at from: by what they do to bodies there, far from where all x are 0,
  /// energy changes by far more than moves, and by as much as is known.
  Vector origin_;
  SupportBalance balance_;
  EnergyFlow flow_;                                 ///< at the last state
  std::optional<SupportBalance::Values> supports_;  ///< at the last state
  std::vector<Damper> dampers_;
  EnergyTotals totals_;
};

}  // namespace stiffly
