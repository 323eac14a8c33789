// The step in which a simulation stops making sense.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiffly/error.hpp"
#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// A simulation that failed. The message says when, where and what to try; `state` is the last good one.
class BlowUp : public SimulationError {
 public:
  BlowUp(const std::string& message, State last_good)
      : SimulationError(message), state(std::move(last_good)) {}
  State state;
};

/// Looks at every step for numbers that are no longer finite, and for energy that cannot be: that a closed
/// system gains, or that a driven one gains again and again without its drives having brought it in.
class BlowUpWatch {
 public:
  /// `roundoff`: of the energy, J.
  BlowUpWatch(const SecondOrderSystem& system, const State& start, double roundoff);

  double initial_energy() const { return initial_; }
  /// Kinetic energies below it, J, count as rest: what begins to move grows without end, however small it is.
  void rest_below(double kinetic) { rest_ = kinetic; }
  /// Energy after a step. Throws BlowUp if the step from `before` to `after` was one. `brought`: at once, by
  /// things that were put apart, J; a closed system cannot gain that either.
  double check(const State& before, const State& after, double h, double brought = 0);
  /// The step that was checked last is taken, and ends with that energy.
  void accept(double energy, double brought = 0);
  /// Another watch has checked and taken a step to that state.
  void see(const State& after, double energy);

  /// Energies, a time and a count.
  std::vector<double> save() const;
  void restore(std::span<const double> memory);
  static constexpr std::size_t memory_size = 8;

 private:
  double motion(double kinetic, double energy) const;
  double impulse(const State& state, double h) const;
  void look_at_drives(const State& before, const State& after, double energy, double h, double brought);
  double power(const State& state) const;

  const SecondOrderSystem* system_;
  bool closed_;
  double initial_, potential_, roundoff_;  ///< energies, J
  double scale_ = 0;                       ///< largest energy in motion so far, J
  double kinetic_ = 0;                     ///< after the step that was checked last, J
  double rest_ = 0;                        ///< J, below which nothing moves
  /// Of a driven system when its kinetic energy had last grown by a factor.
  struct Look {
    double time, kinetic, energy, power;
    int unexplained;  ///< how often in turn the drives did not account for it
  };
  std::optional<Look> look_, next_look_;  ///< the last one, and that of a step that is not accepted yet
};

}  // namespace stiffly
