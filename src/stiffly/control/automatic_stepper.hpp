// The method that serves a system best, found by trying.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiffly/control/trial.hpp"
#include "stiffly/integrators/registry.hpp"

namespace stiffly {

class Trials;

struct AutomaticOptions {
  IntegratorOptions integrator = {};
  std::vector<std::string> candidates = {};  ///< by name; empty: the usual ones
};

/// By name: those that have a chance to win at a tolerance, or at a given step.
std::vector<std::string> usual_candidates(bool tolerance);

/// Tries its candidates on the user's own system from the present state, goes on with the best one, and tries
/// again when the cost of simulated time has changed by a factor of two, or when it has computed twice as
/// long and as much is left. Under a tolerance the best is the one that computes fastest; at a given step it
/// is the most accurate one. Trials are part of the run: their work is counted and their time is spent, about
/// a tenth of the run's; the steps that the chosen one made in its trial are the run's next steps. Times
/// are those of counted work (effort.hpp), so that the same run chooses the same, whatever else the machine
/// does; of methods that cost about the same the first in the list is taken.
class AutomaticStepper final : public Stepper {
 public:
  /// Throws InputError for unknown candidates.
  AutomaticStepper(const SecondOrderSystem& system, const State& start, const StepPlan& plan,
                   AutomaticOptions options);
  /// Goes on with the method it had.
  AutomaticStepper(const SecondOrderSystem& system, const State& start, const StepPlan& plan,
                   AutomaticOptions options, const State& now, const StepperMemory& memory);

  /// Of the first candidate before the first decision.
  const IntegratorTraits& traits() const override;
  const State& state() const override { return run().state; }
  double energy() const override { return run().energy; }
  double initial_energy() const override { return run().watch.initial_energy(); }
  double energy_given_up() const override { return run().budget.lost(); }
  bool done() const override { return run().done(); }
  const StepRecord& advance() override;
  std::vector<State> within(std::span<const double> times) override;
  StepperMemory save() override;
  std::span<const Decision> decisions() const override { return decisions_; }

  /// Tries all candidates from the present state and takes the best; the first step does so by itself. Throws
  /// SimulationError where every candidate fails.
  const Decision& decide();

 private:
  struct CostMark {
    double time, seconds;  ///< simulated, and computed by then
  };

  /// That of the method in use, unless it is ahead.
  const RunSoFar& run() const { return current_ && steps_ahead_.empty() ? current_->run() : run_; }
  void take(std::size_t candidate, double h);
  void take_over(Trial& trial, Decision& decision);
  void drop_steps_ahead();
  Trials trials_from_here(const std::optional<double>& cost) const;
  void review();
  void look_at_energy();
  bool cheaper_in_trial(double cost) const;
  std::optional<double> cost_of_method_in_use() const;
  double computed() const { return computed_before_ + window_seconds_; }
  void close_window();

  StepPlan plan_;
  AutomaticOptions options_;
  RunSoFar run_;       ///< at the last decision, or where the steps ahead have been handed out to
  double first_step_;  ///< a guess for a run from its start, s
  std::unique_ptr<ControlledStepper> current_;
  std::size_t chosen_ = 0;
  std::vector<Decision> decisions_;
  StepRecord record_;
  std::deque<Trial::Made> steps_ahead_;   ///< made in the trial, still to be handed out
  std::optional<State> handed_out_from_;  ///< where the last step began, if it was made in the trial

  // By candidate.
  std::vector<bool> makes_energy_;  ///< out of nothing: it is not taken again
  std::vector<double> trial_cost_;  ///< in its last trial, at least, s per s; 0: none
  std::vector<double> run_cost_;    ///< when it was in use, s per s; 0: it was not
  double retry_below_;              ///< cost in its last trial up to which a candidate is tried again

  // What the method in use has cost since it was chosen.
  double expected_cost_ = 0;    ///< s per s, by its trial
  double trusted_until_ = 0;    ///< s of computing, after which one that was trusted is doubted; 0: none was
  double window_begin_;         ///< simulated time
  double window_seconds_ = 0;   ///< computed in the window
  double computed_before_ = 0;  ///< s in steps of the whole run, before the window
  double decided_at_ = 0;       ///< s computed by the last decision
  double trial_seconds_ = 0;    ///< of the whole run
  std::vector<CostMark> marks_;
  double energy_when_chosen_ = 0;
  long steps_ = 0;  ///< since it was chosen
};

/// What is known of the integrator of that name. Throws InputError for an unknown one.
const IntegratorTraits& traits_of(const std::string& name);
/// The integrator for such a run: under a tolerance, solvers and evaluators are as exact as that needs.
std::unique_ptr<Integrator> make_integrator(const IntegratorInfo& info, const StepPlan& plan,
                                            const IntegratorOptions& options);
std::unique_ptr<Integrator> make_integrator(const std::string& name, const StepPlan& plan,
                                            const IntegratorOptions& options);

/// The choice for a system, without a run.
Decision advise(const SecondOrderSystem& system, const State& start, const StepPlan& plan,
                const AutomaticOptions& options);

}  // namespace stiffly
