#include "stiffly/control/trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiffly/control/tuning.hpp"
#include "stiffly/effort.hpp"
#include "stiffly/limits.hpp"

namespace stiffly {

bool makes_energy(const IntegratorTraits& method, const MotionScale& scale, double before, double after) {
  return !method.l_stable && scale.energy_gain(before, after) > tuning::made_energy;
}

Trial::Trial(const SecondOrderSystem& system, std::shared_ptr<Integrator> method, RunSoFar run,
             const StepPlan& plan, double h)
    : system_(system),
      from_(std::move(run)),
      plan_(plan),
      first_step_(h),
      method_(std::move(method)),
      result_{.integrator = method_->traits().name, .cost = infinite} {}

void Trial::give_up() {
  stepper_.reset();
  given_up_ = true;
}

void Trial::go_on(const Allowance& seconds, double best) {
  TrialResult now{.integrator = result_.integrator, .cost = infinite};
  try {
    if (given_up_) {
      now.failure = result_.failure;
    } else {
      if (!stepper_)
        stepper_ = std::make_unique<ControlledStepper>(system_, method_, from_, plan_, first_step_);
      steps_for(seconds, best, now);
    }
  } catch (const OutOfTime&) {
    give_up();
    system_.counters().look();  // unless it is the run's own time that is over
    now.failure = "a step takes longer than a trial may";
  } catch (const Error& error) {
    now.failure = error.what();
  }
  if (now.step > 0)
    now.failure.clear();
  else if (now.failure.empty())
    now.failure = "no step was accepted within the time of the trial";
  if (stepper_ && makes_energy(stepper_->traits(), stepper_->run().scale, from_.energy, stepper_->energy())) {
    give_up();
    result_.failure = now.failure = "it makes energy out of nothing";
  }
  if (now.failure.empty() || !result_.failure.empty() || result_.step == 0)
    result_ = std::move(now);
  else  // no step was good enough in that time: what is known stays
    result_.growing = false;
}

void Trial::steps_for(const Allowance& seconds, double best, TrialResult& now) {
  ControlledStepper& stepper = *stepper_;
  const double begin = effort_seconds();
  int steps = 0;
  double some_steps_ago = infinite;  // length of a step
  bool dearer = false, slowly_growing = false;
  const bool damps = stepper.traits().l_stable;  // its steps become longer when vibrations have died away
  // Of steps that still grow the last one counts, then the mean of some, with those that were rejected.
  double counted_seconds = 0, counted_time = 0;
  double in_prospect = infinite;  // cost of the step that is to follow a rejected one
  for (int attempts = 0; !stepper.done(); ++attempts) {
    const double step_begin = effort_seconds(), spent = step_begin - begin;
    const int enough = tuning::fewest_steps * (stepper.at_stability_limit() ? 1 : damps ? 8 : 2);
    const bool found = steps >= enough && !now.growing;
    const bool open = now.growing ? !dearer : steps < enough;
    const double too_dear = (steps < 2 * tuning::fewest_steps ? tuning::hopeless : tuning::behind) * best;
    if (steps > 0 && !now.growing && now.cost > too_dear) break;
    if (attempts > 0 && spent > (open ? seconds.while_open : seconds.usual)) break;
    if (found && spent > tuning::shortest_trial) break;
    const double dear = dearer ? tuning::close : steps > tuning::growth_steps ? tuning::hopeless : infinite;
    if (now.growing && now.cost > dear * best) break;
    const double h = stepper.next_step();
    in_prospect = infinite;
    const double limit = std::clamp(tuning::growth * best * h, seconds.step, seconds.long_step);
    try {
      const ControlledStepper::Verdict verdict = attempt(limit);
      if (verdict == ControlledStepper::Verdict::failed) {
        now.failure = stepper.trouble();
      } else if (verdict == ControlledStepper::Verdict::rejected) {
        in_prospect = (effort_seconds() - step_begin) / stepper.next_step();
      } else {
        if (now.growing || steps < 2 || steps % (2 * tuning::fewest_steps) == 0)
          counted_seconds = counted_time = 0;
        const double last = now.cost;
        counted_time += h;
        now.cost = (counted_seconds + effort_seconds() - step_begin) / counted_time;
        dearer = h > now.step && now.cost > tuning::close * last;
        now.step = h;
        if (steps++ % tuning::fewest_steps == 0) {
          slowly_growing = h > 1.2 * some_steps_ago;
          some_steps_ago = h;
        }
      }
    } catch (const OutOfTime&) {
      if (steps == 0) now.cost = limit / (tuning::growth * h);
      throw;
    }
    counted_seconds += effort_seconds() - step_begin;
    now.growing = slowly_growing || stepper.growth() > 1.5;
  }
  if (none_accepted() && in_prospect < infinite) now.cost = in_prospect, now.step = stepper.next_step();
}

ControlledStepper::Verdict Trial::attempt(double limit) {
  ControlledStepper& stepper = *stepper_;
  const double begin = effort_seconds();
  const TimeLimit time_limit(system_.counters(), limit, effort_seconds);
  const ControlledStepper::Verdict verdict = stepper.attempt();
  since_step_ += effort_seconds() - begin;
  if (verdict != ControlledStepper::Verdict::accepted) return verdict;
  kept_ = kept_ && made_.size() < tuning::most_kept;
  if (kept_)
    made_.push_back({stepper.state(), stepper.energy(), stepper.last(), since_step_});
  else
    made_.clear();
  since_step_ = 0;
  return verdict;
}

Trial::Legacy Trial::leave() {
  if (!kept_ || made_.empty() || !stepper_) return {};
  return {std::move(stepper_), std::move(made_)};
}

}  // namespace stiffly
