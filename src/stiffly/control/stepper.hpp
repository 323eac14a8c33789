// Something that advances a system step by step to the end of a run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiffly/control/energy_books.hpp"
#include "stiffly/control/trial_result.hpp"
#include "stiffly/integrators/integrator.hpp"
#include "stiffly/stopwatch.hpp"
#include "stiffly/system/touch.hpp"

namespace stiffly {

/// How long a run is and what its steps are.
struct StepPlan {
  double duration = 1;  ///< s
  double step = 0.01;   ///< s; the last step is shortened to end at the duration
  double tolerance =
      0;  ///< relative error to aim at; above 0, steps are chosen for it and `step` is not used
  double stability_share = 1;  ///< of the limit of stability, that steps that are chosen may use

  /// Throws InputError unless duration and the step or tolerance are positive and finite, and the step is
  /// more than the round-off of the time it begins at.
  void check(double start_time) const;
};

/// What a stepper needs besides the state to go on as if nothing had happened.
struct StepperMemory {
  IntegratorMemory method;
  std::vector<double> control;
};

/// A step that was accepted.
struct StepRecord {
  double h = 0;
  long rejected = 0;                 ///< attempts before it
  bool at_stability_limit = false;   ///< as long as the method is stable, where steps are chosen
  PhiReport phi;                     ///< of the accepted one
  std::optional<State> middle = {};  ///< where it was made as two
  long steps = 1;                    ///< that it stands for: pieces of a system make their own
  std::optional<Touch> touch = {};   ///< where it ends; of several steps the most
  std::optional<ProjectionReport> projection = {};  ///< of contact, where that is projected away

  /// Energy that contact took at once, J.
  double taken() const { return projection ? projection->taken : 0; }
};

/// One method under step control, or several that take turns.
class Stepper {
 public:
  virtual ~Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  const SecondOrderSystem& system() const { return system_; }
  /// Of the method in use.
  virtual const IntegratorTraits& traits() const = 0;
  /// After the last step that was made.
  virtual const State& state() const = 0;
  virtual double energy() const = 0;
  virtual double initial_energy() const = 0;
  /// J, lost in steps that were accepted because no shorter one helped.
  virtual double energy_given_up() const = 0;
  /// What came in and went out since the start of the run, where the stepper knows it better than anybody can
  /// from its states.
  virtual std::optional<EnergyTotals> energy_totals() const { return std::nullopt; }
  /// Whether the end of the run is reached.
  virtual bool done() const = 0;
  /// Makes one step. Throws BlowUp in the very step in which the solution stops being finite or gains energy
  /// out of nothing; under a tolerance such a step is made again, shorter, and BlowUp means that no step is
  /// short enough. Throws other SimulationErrors where steps are given and a solver or an evaluator gives up.
  /// `state` is then still the last good one.
  virtual const StepRecord& advance() = 0;
  /// States at rising times within the last step, to the order of the method: by its own formula where it has
  /// one, else interpolated. Later steps do not depend on whether it was called.
  virtual std::vector<State> within(std::span<const double> times) = 0;

  /// Drops what was learnt on the way, so that this run and one that is resumed go on alike, bit for bit.
  virtual StepperMemory save() = 0;
  /// Choices between methods so far.
  virtual std::span<const Decision> decisions() const { return {}; }

  /// Since it was made.
  Counters work() const { return system_.counters() - counters_before_; }
  double seconds() const { return clock_.seconds(); }

 protected:
  explicit Stepper(const SecondOrderSystem& system)
      : system_(system), counters_before_(static_cast<const Counters&>(system.counters())) {}

 private:
  const SecondOrderSystem& system_;
  Counters counters_before_;
  Stopwatch clock_;
};

}  // namespace stiffly
