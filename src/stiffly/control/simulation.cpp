#include "stiffly/control/simulation.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/control/methods.hpp"

namespace stiffly {
namespace {

/// Of a run that may have begun earlier.
class Account {
 public:
  Account(const Stepper& stepper, const State& start, const Checkpoint* resumed)
      : stepper_(stepper), start_time_(start.time) {
    if (resumed)
      summary_ = earlier_ = resumed->summary;
    else
      summary_.initial_energy = summary_.final_energy = stepper.initial_energy();
  }

  void add(const StepRecord& step) {
    summary_.steps += step.steps;
    summary_.rejected_steps += step.rejected;
    summary_.steps_at_limit += step.at_stability_limit;
    if (step.touch) summary_.contact = most_of(summary_.contact.value_or(Touch{}), *step.touch);
    if (step.projection) {
      if (!summary_.projection) summary_.projection.emplace();
      *summary_.projection += *step.projection;
    }
    summary_.phi.basis_sizes.clear();
    summary_.phi += step.phi;
    summary_.final_energy = stepper_.energy();
    summary_.energy_given_up = stepper_.energy_given_up();
    summary_.max_energy_drift =
        std::max(summary_.max_energy_drift, std::abs(summary_.final_energy - summary_.initial_energy));
  }

  SimulationSummary& up_to_date() {
    summary_.simulated_seconds = stepper_.state().time - start_time_;
    summary_.energy_totals = stepper_.energy_totals();
    summary_.counters = earlier_.counters + stepper_.work();
    summary_.wall_seconds = earlier_.wall_seconds + stepper_.seconds();
    return summary_;
  }

 private:
  const Stepper& stepper_;
  double start_time_;
  SimulationSummary summary_, earlier_;  ///< of the whole run, and of it before it was resumed
};

/// Times at which checkpoints are due: multiples of an interval from the start on.
class Schedule {
 public:
  Schedule(double start, double interval, double now) : start_(start), interval_(interval) { after(now); }
  bool due(double time) const { return time >= next_; }
  void after(double time) {
    next_ = start_ + interval_ * (std::floor((time - start_) / interval_ * (1 + 1e-12)) + 1);
  }

 private:
  double start_, interval_, next_ = 0;
};

}  // namespace

SimulationSummary simulate(Stepper& stepper, const State& start, const SimulationOptions& options,
                           const Observer& observer) {
  Account account(stepper, start, options.resume);
  Schedule schedule(start.time, options.checkpoint_every, stepper.state().time);
  const bool saves = options.checkpoint && options.checkpoint_every > 0;
  const auto wanted = [&] {
    SimulationSummary& summary = account.up_to_date();
    summary.interrupted = observer && !observer(stepper.state(), summary);
    return !summary.interrupted;
  };
  for (bool go_on = wanted(); go_on && !stepper.done();) {
    account.add(stepper.advance());
    // The observer first: what a stepper saves, it forgets, and with it the inside of the last step.
    go_on = wanted();
    const double time = stepper.state().time;
    if (saves && schedule.due(time) && !stepper.done()) {
      SimulationSummary summary = account.up_to_date();
      summary.interrupted = false;
      options.checkpoint({start, stepper.state(), stepper.save(), std::move(summary)});
      schedule.after(time);
    }
  }
  return account.up_to_date();
}

SimulationSummary simulate(const SecondOrderSystem& system, Integrator& integrator, State& state,
                           const SimulationOptions& options, const Observer& observer) {
  const State start = options.resume ? options.resume->start : state;
  // The caller's method, which is not owned.
  const std::shared_ptr<Integrator> method(std::shared_ptr<void>(), &integrator);
  const std::unique_ptr<Stepper> stepper =
      make_stepper(method, system, start, options.plan(), options.resume);
  SimulationSummary summary;
  try {
    summary = simulate(*stepper, start, options, observer);
  } catch (...) {
    state = stepper->state();
    throw;
  }
  state = stepper->state();
  return summary;
}

}  // namespace stiffly
