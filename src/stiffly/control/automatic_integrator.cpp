#include "stiffly/control/automatic_integrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stiffly/control/stability_limit.hpp"
#include "stiffly/integrators/step_doubling.hpp"
#include "stiffly/stopwatch.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double shortest_trial = 0.02;  ///< s
constexpr double share = 0.1;            ///< of a run's time that trials may take
constexpr double outlook = 15;           ///< s of computing, for which a decision is made at least
constexpr double first_review = 6;       ///< s of computing, after which it is looked at again
constexpr double close = 1.5;            ///< costs within this factor of the best are looked at again
constexpr double worth_a_change = 1.2;  ///< factor by which another method must be better than the one in use
constexpr double changed = 2;           ///< factor of the cost that makes a new decision worth while
constexpr double hopeless = 30;         ///< costs beyond this factor do not catch up by longer steps
constexpr double promise = 2.5;  ///< by which a cost falls at least where steps have not found their length
constexpr int fewest_steps = 4;  ///< of a trial
constexpr int growth_steps = 4;  ///< that a trial is given before it counts as hopeless
constexpr int energy_look = 50;  ///< steps from one look at the energy to the next

class Watch {
 public:
  explicit Watch(const std::function<double()>& clock) : clock_(clock), begin_(clock()) {}
  double seconds() const { return clock_() - begin_; }

 private:
  const std::function<double()>& clock_;
  double begin_;
};

/// Methods of a kind do the same work in a step, up to a small factor: Newton's method solves several times
/// what a Rosenbrock method solves once.
std::string kind_of(const std::string& name) {
  const IntegratorTraits& traits = find_by_name(integrators(), name, "integrator");
  return traits.implicit ? "Rosenbrock" : traits.family;
}

std::string reason_of(const std::vector<Attempt>& trials, bool tolerance) {
  const auto says = [&](const Attempt& t) {
    return tolerance ? fmt::format("{:.2g} s", t.cost) : fmt::format("{:.1e}", t.error);
  };
  std::string others;
  std::size_t failed = 0, named = 0;
  for (std::size_t i = 1; i < trials.size(); ++i)
    if (!trials[i].failure.empty())
      ++failed;
    else if (++named <= 3)
      others += fmt::format("{}{} {}", others.empty() ? "" : ", ", trials[i].integrator, says(trials[i]));
  return fmt::format(
      "{}: {} {}{}{}", trials.front().integrator, says(trials.front()),
      tolerance ? "of computing per simulated second in a trial" : "of error in a step of the given length",
      others.empty() ? "" : "; " + others,
      failed == 0 ? "" : fmt::format("; {} failed or far slower", failed));
}

}  // namespace

/// At a tolerance: explicit, multistep, linearly implicit, implicit and exponential methods of several
/// orders. At a given step an explicit method is rarely stable, and higher orders are what counts.
std::vector<std::string> usual_candidates(bool tolerance) {
  if (tolerance)
    return {"dopri5", "verlet",     "ros3pl",  "tr-bdf2", "bdf2",
            "bdf3",   "sdirk-nc34", "exprb32", "exprb42", "pexprb43"};
  return {"verlet", "implicit-midpoint", "tr-bdf2", "ros3pl", "exprb42", "pexprb43"};
}

AutomaticIntegrator::AutomaticIntegrator(AutomaticOptions options) : options_(std::move(options)) {
  if (options_.candidates.empty()) options_.candidates = usual_candidates(options_.tolerance > 0);
  if (!options_.clock) options_.clock = [watch = Stopwatch()] { return watch.seconds(); };
  for (const std::string& name : options_.candidates) find_by_name(integrators(), name, "integrator");
  show(find_by_name(integrators(), options_.candidates.front(), "integrator"));
  traits_.oscillation_limit.reset();  // it may well be another one
}

void AutomaticIntegrator::show(const IntegratorTraits& traits) {
  traits_ = traits;
  if (traits.embedded_order) return;
  traits_.embedded_order = traits.order;  // by two steps of half the length
  if (traits_.oscillation_limit) *traits_.oscillation_limit *= 2;
}

void AutomaticIntegrator::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  end_ = state.time + options_.duration;
  scale_.emplace(system, state);
  first_step_ = scale_->first_step(options_.tolerance > 0 ? options_.tolerance : 1e-3, options_.duration);
  decisions_.clear();
  gained_.assign(options_.candidates.size(), false);
  in_trials_ = in_steps_ = decided_at_ = spent_ = 0;
  window_begin_ = state.time;
  current_.reset();
  start_ = state;
}

/// Steps as a run would make them, for about that many seconds, or until their length is found, or until it
/// is clear that the method does not reach the best cost so far. The first step is of the length `h`. A step
/// that is far too long for a method may take minutes: a trial ends where longer steps cost more per
/// simulated second than shorter ones did. `at` is moved along, so that a longer trial goes on from there: a
/// method that damps vibrations takes long steps only when it has done so.
Attempt AutomaticIntegrator::by_tolerance(std::size_t candidate, Reached& at, double h, Allowance seconds,
                                          double best) {
  Attempt trial{.integrator = options_.candidates[candidate], .cost = infinite};
  const Watch watch(options_.clock);
  try {
    const std::unique_ptr<Integrator> method = method_for(trial.integrator, options_);
    auto& [state, scale] = at;
    method->start(*system_, state);
    StepController controller(method->traits(), options_.tolerance);
    StabilityLimit limit(*system_, method->traits());
    int steps = 0;
    double some_steps_ago = infinite;  // length of a step
    bool dearer = false, slowly_growing = false;
    // Of steps that still grow the last one counts, then the mean, with those that were rejected.
    double counted_seconds = 0, counted_time = 0;
    for (int attempts = 0; state.time < end_; ++attempts) {
      const double spent = watch.seconds();
      const bool found = steps >= 2 * fewest_steps && !trial.growing;
      const bool open = trial.growing ? !dearer : steps < 2 * fewest_steps;
      if (attempts > 0 && spent > (open ? seconds.while_open : seconds.usual)) break;
      if (found && spent > shortest_trial) break;
      if (trial.growing && trial.cost > (dearer ? close : steps > growth_steps ? hopeless : infinite) * best)
        break;
      h = std::min({h, limit.longest_step(state), end_ - state.time});
      const Watch step_watch(options_.clock);
      try {
        Step step = step_with_error(*method, state, h);
        const std::vector<double> before = scale.save();
        scale.see(step.state);
        if (controller.judge(scale.relative(*step.error))) {
          state = std::move(step.state);
          if (trial.growing || steps < 2) counted_seconds = counted_time = 0;
          const double last = trial.cost;
          counted_time += h;
          trial.cost = (counted_seconds + step_watch.seconds()) / counted_time;
          dearer = trial.cost > close * last;
          trial.step = h;
          if (steps++ % fewest_steps == 0) {
            slowly_growing = h > 1.2 * some_steps_ago;
            some_steps_ago = h;
          }
        } else {
          scale.restore(before);
        }
      } catch (const SimulationError& error) {
        trial.failure = error.what();
        controller.fail();
      }
      counted_seconds += step_watch.seconds();
      trial.growing = slowly_growing || controller.factor() > 1.5;
      h *= controller.factor();
    }
    if (trial.step > 0)
      trial.failure.clear();
    else if (trial.failure.empty())
      trial.failure = "no step was accepted within the time of the trial";
    trial.next_step = h;
  } catch (const Error& error) {
    trial.failure = error.what();
  }
  trial.seconds = watch.seconds();
  return trial;
}

/// A few steps of the given length against twice as many of half of it.
Attempt AutomaticIntegrator::by_error(std::size_t candidate, const State& from) {
  Attempt trial{.integrator = options_.candidates[candidate], .step = options_.step};
  const Watch watch(options_.clock);
  try {
    const std::unique_ptr<Integrator> method = method_for(options_.candidates[candidate], options_);
    method->start(*system_, from);
    MotionScale scale = *scale_;
    State state = from;
    for (int i = 0; i < fewest_steps && state.time < end_; ++i) {
      Step step = doubled_step(*method, state, options_.step);
      scale.see(step.state);
      const double error = scale.relative(*step.error) * (std::exp2(method->traits().order) - 1);
      trial.error = std::isfinite(error) ? std::max(trial.error, error) : infinite;
      state = std::move(step.state);
    }
    if (!(trial.error < 0.5)) trial.failure = "a step of that length is as good as wrong";
    trial.cost = watch.seconds() / (state.time - from.time) / 3;  // of three steps made, one is the run's
  } catch (const Error& error) {
    trial.failure = error.what();
    trial.error = trial.cost = infinite;
  }
  trial.seconds = watch.seconds();
  return trial;
}

const Decision& AutomaticIntegrator::decide(const State& from) {
  const Watch watch(options_.clock);
  const bool tolerance = options_.tolerance > 0;
  std::vector<std::size_t> order(options_.candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Reached> reached(order.size(), {from, *scale_});
  std::vector<Attempt> trials;
  double best = infinite;
  // What the decision is for: the rest of the run, but no more than has been computed so far. The beginning
  // of a motion is rarely like the rest of it, so that it is no ground for a large investment.
  const auto stake = [&] {
    return share * std::min(best * (end_ - from.time), std::max(outlook, in_steps_ + spent_));
  };
  const auto allowance = [&]() -> Allowance {
    const double all = stake();
    return {std::max(shortest_trial, all / 2 / static_cast<double>(order.size())),
            std::max(shortest_trial, (all - watch.seconds()) / 3)};
  };
  // Why a candidate is not even tried; empty: it is.
  const auto pointless = [&](std::size_t i) -> std::string {
    if (gained_[i]) return "it made energy out of nothing";
    for (const Attempt& t : trials)
      if (tolerance && t.cost > hopeless * best && kind_of(t.integrator) == kind_of(options_.candidates[i]))
        return fmt::format("{}, which is of the same kind, is far too slow", t.integrator);
    return {};
  };
  // What the method in use costs is known, without a trial and better: a trial would begin with short steps,
  // and resolve what long ones pass over.
  const std::optional<double> known = tolerance && current_ ? cost_so_far(from.time) : std::nullopt;
  const auto in_use = [&](std::size_t i) { return known && i == chosen_ && !gained_[i]; };
  std::stable_partition(order.begin(), order.end(), in_use);
  // Where all steps cost the same a trial begins as a run would. Elsewhere steps that are too long may be
  // very dear: they begin short, and not longer than what others found.
  double h = decisions_.empty() ? first_step_ / 30 : last_step_ / 3;
  const auto begin = [&](std::size_t i) {
    const IntegratorTraits& traits = find_by_name(integrators(), options_.candidates[i], "integrator");
    return traits.implicit || traits.uses_evaluator ? h : first_step_;
  };
  trials.resize(order.size());
  for (const std::size_t i : order) {
    Attempt trial{.integrator = options_.candidates[i], .cost = infinite, .failure = pointless(i)};
    if (in_use(i))
      trial.cost = *known, trial.step = last_step_;
    else if (trial.failure.empty())
      trial = tolerance ? by_tolerance(i, reached[i], begin(i), allowance(), best) : by_error(i, from);
    if (trial.failure.empty()) {
      best = std::min(best, trial.cost);
      h = std::min(h, trial.step);
    }
    trials[i] = std::move(trial);
  }
  const auto worth = [&](std::size_t i) {
    const Attempt& t = trials[i];
    if (!t.failure.empty()) return infinite;
    return !tolerance ? t.error : t.growing ? t.cost / promise : t.cost;
  };
  const auto sort = [&] {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return worth(a) < worth(b); });
  };
  sort();
  // Those that are close, and those whose steps still grow, are tried again for longer, as long as the run to
  // come is worth it.
  while (tolerance) {
    best = worth(order[0]);
    const auto open = [&](std::size_t i) {
      const Attempt& t = trials[i];
      return t.growing ? t.cost <= hopeless * best || !t.failure.empty() : worth(i) <= close * best;
    };
    const auto contenders = static_cast<double>(std::count_if(order.begin(), order.end(), open));
    const double left = stake() - watch.seconds();
    const bool undecided = contenders > 1 || trials[order[0]].growing;
    if (!undecided || !(left > 4 * contenders * shortest_trial)) break;
    for (const std::size_t i : order)
      if (open(i) && !in_use(i)) {
        const double seconds = left / contenders / 2;
        Attempt longer = by_tolerance(i, reached[i], trials[i].next_step, {seconds, seconds}, best);
        if (longer.failure.empty() || !trials[i].failure.empty())
          trials[i] = std::move(longer);
        else  // no step was good enough in that time: what is known stays
          trials[i].growing = false, trials[i].next_step = longer.next_step;
      }
    sort();
  }
  const auto kept = std::ranges::find_if(order, in_use);
  if (kept != order.end() && worth(*kept) <= worth_a_change * worth(order[0]))
    std::rotate(order.begin(), kept, kept + 1);
  if (!(worth(order[0]) < infinite))
    throw SimulationError(fmt::format("none of the methods tried can go on from t = {:.6g} s; {} says: {}",
                                      from.time, trials[order[0]].integrator, trials[order[0]].failure));
  Decision decision{from.time, trials[order[0]].integrator, {}, {}};
  for (const std::size_t i : order) decision.attempts.push_back(trials[i]);
  decision.reason = reason_of(decision.attempts, tolerance);
  expected_ = trials[order[0]].cost;
  last_step_ = trials[order[0]].step;
  if (!current_ || chosen_ != order[0]) take(order[0], from);
  decision.seconds = watch.seconds();
  in_trials_ += decision.seconds;
  decisions_.push_back(std::move(decision));
  window_begin_ = from.time;
  in_steps_ += spent_;
  spent_ = 0;
  decided_at_ = in_steps_;
  return decisions_.back();
}

void AutomaticIntegrator::take(std::size_t candidate, const State& from) {
  chosen_ = candidate;
  current_ = method_for(options_.candidates[candidate], options_);
  current_->start(*system_, from);
  show(current_->traits());
  energy_ = system_->energy(from);
  steps_ = 0;
  marks_.assign(1, {from.time, in_steps_ + spent_});
}

/// Of simulated time, by the method in use, over the last third of the computing, or some seconds of it:
/// methods that damp take short steps until a disturbance has died away, and long ones again afterwards.
std::optional<double> AutomaticIntegrator::cost_so_far(double time) const {
  const double computed = in_steps_ + spent_;
  const double look_back = std::max(first_review, computed / 3);
  auto mark = marks_.rbegin();
  while (mark + 1 != marks_.rend() && computed - mark->seconds < look_back) ++mark;
  if (computed - mark->seconds < shortest_trial || time <= mark->time) return std::nullopt;
  return (computed - mark->seconds) / (time - mark->time);
}

/// Whether the method in use has made as much energy as a fourth of all that ever was in motion. A long step
/// of a method that damps leaves some in stiff springs, too, but such a method loses it again.
bool AutomaticIntegrator::gains_energy(const State& now) const {
  return system_->passive() && !traits_.l_stable &&
         system_->energy(now) - energy_ > 0.125 * scale_->speed() * scale_->speed();
}

Step AutomaticIntegrator::step(const State& from, double h, bool want_error) {
  scale_->see(from);
  if (!current_) decide(from);
  if (++steps_ % energy_look == 0 && gains_energy(from)) {
    gained_[chosen_] = true;
    if (std::ranges::count(gained_, false) == 0) gained_.assign(gained_.size(), false);
    decide(from);
  }
  // The cost of the last while, and whether a new decision would pay.
  const double advanced = from.time - window_begin_;
  if (spent_ > 20 * shortest_trial && advanced > 0) {
    const double cost = spent_ / advanced;
    const double computed = in_steps_ + spent_;
    const bool other = cost > changed * expected_ || cost < expected_ / changed;
    const bool due = computed > std::max(2 * decided_at_, first_review);
    if ((other || due) && in_trials_ < share * computed) {
      decide(from);
    } else {
      window_begin_ = from.time;
      in_steps_ += spent_;
      spent_ = 0;
      marks_.push_back({from.time, in_steps_});
    }
  }
  last_step_ = h;
  const Watch watch(options_.clock);
  Step step = want_error ? step_with_error(*current_, from, h) : current_->step(from, h, false);
  spent_ += watch.seconds();
  return step;
}

IntegratorMemory AutomaticIntegrator::save() {
  IntegratorMemory memory = current_->save();
  const std::vector<double> scale = scale_->save();
  memory.numbers.insert(memory.numbers.begin(),
                        {static_cast<double>(chosen_), expected_, end_, energy_, scale[0], scale[1]});
  return memory;
}

void AutomaticIntegrator::restore(const IntegratorMemory& memory) {
  const std::span<const double> numbers(memory.numbers);
  expected_ = numbers[1];
  end_ = numbers[2];
  scale_->restore(numbers.subspan(4, 2));
  IntegratorMemory inner{{numbers.begin() + 6, numbers.end()}, memory.vectors};
  take(static_cast<std::size_t>(numbers[0]), start_);
  energy_ = numbers[3];
  current_->restore(inner);
}

std::unique_ptr<Integrator> method_for(const std::string& name, const AutomaticOptions& run) {
  if (name == "auto") return std::make_unique<AutomaticIntegrator>(run);
  return method_of(find_by_name(integrators(), name, "integrator"), run);
}

std::unique_ptr<Integrator> method_of(const IntegratorInfo& info, const AutomaticOptions& run) {
  return info.make(run.tolerance > 0 ? options_for(info, run.integrator, run.tolerance) : run.integrator);
}

Decision advise(const SecondOrderSystem& system, const State& start, const AutomaticOptions& options) {
  AutomaticIntegrator integrator(options);
  integrator.start(system, start);
  return integrator.decide(start);
}

}  // namespace stiffly
