#include "stiffly/control/tryout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double growth = 3;           ///< by which a step that is given up might have become longer
constexpr int growth_steps = 4;        ///< that a trial is given before it counts as hopeless
constexpr double behind = 8;           ///< costs beyond this factor do not catch up within a trial
constexpr std::size_t most_kept = 40;  ///< steps

}  // namespace

bool makes_energy(const IntegratorTraits& method, const MotionScale& scale, double before, double after) {
  return !method.l_stable && scale.energy_gain(before, after) > 0.25;
}

Tryout::Tryout(std::string name, std::unique_ptr<Integrator> method, const State& from, MotionScale scale,
               double h, const Conditions& conditions)
    : conditions_(conditions),
      method_(std::move(method)),
      state_(from),
      scale_(std::move(scale)),
      controller_(method_->traits(), conditions.tolerance),
      limit_(conditions.system, method_->traits()),
      h_(h),
      attempt_{.integrator = std::move(name), .cost = infinite},
      energy_(conditions.system.energy(from)),
      energy_now_(energy_) {}

void Tryout::go_on(const Allowance& seconds, double best) {
  Attempt now{.integrator = attempt_.integrator, .cost = infinite};
  try {
    if (method_) {
      if (untouched()) method_->start(conditions_.system, state_);
      steps_for(seconds, best, now);
    } else {
      now.failure = attempt_.failure;
    }
  } catch (const OutOfTime&) {
    method_.reset();
    conditions_.system.counters().look();  // unless it is the run's own time that is over
    now.failure = "a step takes longer than a trial may";
  } catch (const Error& error) {
    now.failure = error.what();
  }
  if (now.step > 0)
    now.failure.clear();
  else if (now.failure.empty())
    now.failure = "no step was accepted within the time of the trial";
  if (method_ && makes_energy(method_->traits(), scale_, energy_, energy_now_)) {
    method_.reset();
    attempt_.failure = now.failure = "it makes energy out of nothing";
  }
  now.next_step = h_;
  if (now.failure.empty() || !attempt_.failure.empty() || attempt_.step == 0) {
    attempt_ = std::move(now);
  } else {  // no step was good enough in that time: what is known stays
    attempt_.growing = false;
    attempt_.next_step = h_;
  }
}

void Tryout::steps_for(const Allowance& seconds, double best, Attempt& now) {
  const double begin = conditions_.clock();
  int steps = 0;
  double some_steps_ago = infinite;  // length of a step
  bool dearer = false, slowly_growing = false;
  bool at_limit = false;                          // of stability: all steps are alike
  const bool damps = method_->traits().l_stable;  // its steps become longer when vibrations have died away
  // Of steps that still grow the last one counts, then the mean of some, with those that were rejected.
  double counted_seconds = 0, counted_time = 0;
  double in_prospect = infinite;  // cost of the step that is to follow a rejected one
  for (int attempts = 0; state_.time < conditions_.end; ++attempts) {
    const double step_begin = conditions_.clock(), spent = step_begin - begin;
    const int enough = fewest_steps * (at_limit ? 1 : damps ? 8 : 2);
    const bool found = steps >= enough && !now.growing;
    const bool open = now.growing ? !dearer : steps < enough;
    const double too_dear = (steps < 2 * fewest_steps ? hopeless : behind) * best;
    if (steps > 0 && !now.growing && now.cost > too_dear) break;
    if (attempts > 0 && spent > (open ? seconds.while_open : seconds.usual)) break;
    if (found && spent > shortest) break;
    if (now.growing && now.cost > (dearer ? close : steps > growth_steps ? hopeless : infinite) * best) break;
    const double longest = limit_.longest_step(state_);
    at_limit = h_ >= longest;
    h_ = fitted_step(std::min(h_, longest), conditions_.end - state_.time);
    in_prospect = infinite;
    const double limit = std::clamp(growth * best * h_, seconds.step, seconds.long_step);
    try {
      if (!try_step(h_, limit)) {
        in_prospect = (conditions_.clock() - step_begin) / (controller_.factor() * h_);
      } else {
        if (now.growing || steps < 2 || steps % (2 * fewest_steps) == 0) counted_seconds = counted_time = 0;
        const double last = now.cost;
        counted_time += h_;
        now.cost = (counted_seconds + conditions_.clock() - step_begin) / counted_time;
        dearer = h_ > now.step && now.cost > close * last;
        now.step = h_;
        if (steps++ % fewest_steps == 0) {
          slowly_growing = h_ > 1.2 * some_steps_ago;
          some_steps_ago = h_;
        }
      }
    } catch (const OutOfTime&) {
      if (steps == 0) now.cost = limit / (growth * h_);
      throw;
    } catch (const SimulationError& error) {
      now.failure = error.what();
      controller_.fail();
    }
    counted_seconds += conditions_.clock() - step_begin;
    now.growing = slowly_growing || std::min(controller_.factor(), longest / h_) > 1.5;
    h_ *= controller_.factor();
  }
  if (untouched() && in_prospect < infinite) now.cost = in_prospect, now.step = h_;
}

/// Whether it is accepted; the state and the scale are those after it then.
bool Tryout::try_step(double h, double limit) {
  const double begin = conditions_.clock();
  const TimeLimit time_limit(conditions_.system.counters(), limit, conditions_.clock);
  Step step = step_with_error(*method_, state_, h);
  const std::vector<double> before = scale_.save();
  scale_.see(step.state);
  const double energy = conditions_.system.energy(step.state);
  const bool good = controller_.judge(scale_.relative(*step.error), scale_.energy_gain(energy_now_, energy));
  since_step_ += conditions_.clock() - begin;
  if (!good) {
    scale_.restore(before);
    return false;
  }
  state_ = step.state;
  energy_now_ = energy;
  kept_ = kept_ && made_.size() < most_kept;
  if (kept_)
    made_.push_back({h, std::move(step), since_step_});
  else
    made_.clear();
  since_step_ = 0;
  return true;
}

Tryout::Legacy Tryout::leave() {
  if (!kept_ || made_.empty() || !method_) return {};
  return {std::move(method_), std::move(made_)};
}

}  // namespace stiffly
