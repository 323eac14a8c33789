// A method under step control.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "stiffly/control/blow_up.hpp"
#include "stiffly/control/drive_limit.hpp"
#include "stiffly/control/energy_books.hpp"
#include "stiffly/control/energy_budget.hpp"
#include "stiffly/control/phase_budget.hpp"
#include "stiffly/control/stability_limit.hpp"
#include "stiffly/control/step_controller.hpp"
#include "stiffly/control/stepper.hpp"

namespace stiffly {

/// A number of equal steps, the last of which may be shorter. Times come from the step number, so that
/// rounding does not add up over millions of steps; all steps but the last have exactly the given length,
/// since methods keep what they have computed for it.
class EqualSteps {
 public:
  EqualSteps(double start_time, const StepPlan& plan);
  bool done() const { return made_ == count_; }
  double next_length(double time) const;
  double next_time() const;
  void count_one() { ++made_; }
  long made() const { return made_; }
  /// Throws DamagedMemory where so many steps do not end at `time`.
  void restore(double made, double time);

 private:
  double time_after(long steps) const { return start_ + static_cast<double>(steps) * step_; }

  double start_, end_, step_;
  long count_, made_ = 0;
};

/// A run up to some point, whichever methods have made it.
struct RunSoFar {
  RunSoFar(const SecondOrderSystem& system, const State& start, const StepPlan& plan);

  State state;
  double end;  ///< of the run, s
  MotionScale scale;
  BlowUpWatch watch;
  double energy;
  EnergyBudget budget;
  std::optional<EqualSteps> equal_steps;  ///< where the steps are given

  /// A first step. What errors are not measured below is rest to the watch, too.
  double begin(double tolerance, double duration);
  bool done() const { return equal_steps ? equal_steps->done() : state.time >= end; }
  std::vector<double> save() const;
  void restore(const State& now, std::span<const double> memory);
  /// Of the numbers saved: those from the first energy on may be negative.
  static constexpr std::size_t first_energy = 4, memory_size = first_energy + EnergyBudget::memory_size +
                                                               BlowUpWatch::memory_size - 1;
};

/// Integrator, step control, limit of stability and the scale of the motion as one object.
class ControlledStepper final : public Stepper {
 public:
  /// A whole run, from its start or from memory.
  ControlledStepper(const SecondOrderSystem& system, std::shared_ptr<Integrator> method, const State& start,
                    const StepPlan& plan);
  ControlledStepper(const SecondOrderSystem& system, std::shared_ptr<Integrator> method, const State& start,
                    const StepPlan& plan, const State& now, const StepperMemory& memory);
  /// The rest of a run, beginning with a step of about h where steps are chosen.
  ControlledStepper(const SecondOrderSystem& system, std::shared_ptr<Integrator> method, RunSoFar run,
                    const StepPlan& plan, double h);

  const IntegratorTraits& traits() const override { return method_->traits(); }
  const State& state() const override { return run_.state; }
  double energy() const override { return run_.energy; }
  double initial_energy() const override { return run_.watch.initial_energy(); }
  double energy_given_up() const override { return run_.budget.lost(); }
  bool done() const override { return run_.done(); }
  const StepRecord& advance() override;
  std::vector<State> within(std::span<const double> times) override;
  /// The same for an earlier step of its method; `before`: states before it, newest first.
  std::vector<State> within(const State& from, const std::optional<State>& middle, const State& to,
                            std::span<const State> before, std::span<const double> times);
  StepperMemory save() override;

  enum class Verdict { accepted, rejected, failed };  ///< failed: the step gave no result
  /// One attempt at the next step, of `next_step` s. Where it is not accepted, the next attempt is shorter.
  Verdict attempt();
  double next_step();
  const StepRecord& last() const { return record_; }
  /// Why the last attempt was not accepted.
  const std::string& trouble() const { return trouble_; }
  /// How much longer the next step may be than the last attempt.
  double growth() const;
  /// Whether the last attempt was as long as stability allows.
  bool at_stability_limit() const { return at_limit_; }
  const RunSoFar& run() const { return run_; }

 private:
  void begin_books();
  void make_given_step();
  Verdict try_chosen_step(double h);
  void accept(Step step, double h, double energy);
  [[noreturn]] void give_up(double h) const;

  std::shared_ptr<Integrator> method_;
  StepPlan plan_;
  RunSoFar run_;
  StepController controller_;
  PhaseBudget phase_;
  std::optional<EnergyBooks> books_;  ///< where they are a judge of steps
  StabilityLimit limit_;
  DriveLimit drives_;
  double h_ = 0;                  ///< about the next step, where steps are chosen
  std::optional<double> fitted_;  ///< the very next step
  double longest_ = 0;            ///< that stability allows
  double tried_ = 0;              ///< length of the last attempt
  bool at_limit_ = false;
  long rejected_ = 0;  ///< since the last accepted step
  StepRecord record_;
  std::vector<State> past_;  ///< the last states before the present one, newest first
  std::string trouble_ = "nothing";
};

}  // namespace stiffly
