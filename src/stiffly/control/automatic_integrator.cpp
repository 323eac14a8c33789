#include "stiffly/control/automatic_integrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "stiffly/integrators/step_doubling.hpp"
#include "stiffly/stopwatch.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double share = 0.1;           ///< of a run's time that trials may take
constexpr double long_share = 0.15;     ///< of it, that a single step may take which promises to be worth it
constexpr double investment = 0.07;     ///< part of the time a decision is for that its trials may take
constexpr double outlook = 15;          ///< s of computing, for which a decision is made at least
constexpr double first_review = 6;      ///< s of computing, after which it is looked at again
constexpr double worth_a_change = 1.2;  ///< factor by which another method must be better than the one in use
constexpr double changed = 2;           ///< factor of the cost that makes a new decision worth while
constexpr double upheaval = 5;          ///< factor of the cost after which everything is tried again
constexpr double far = 10;              ///< factor beyond which a method is not tried again before that
constexpr double trust = 2.5;           ///< factor by which the trial of a sound method may mislead
constexpr double few_vibrations = 10;  ///< steps at the limit of an explicit method, that others make at once
constexpr double probation_part = 0.15;  ///< of the run by the best of the trials, that trust lasts for
constexpr double promise = 2.5;   ///< by which a cost falls at least where steps have not found their length
constexpr int energy_look = 20;   ///< steps from one look at the energy to the next
constexpr int many_attempts = 6;  ///< from one state, after which the energy is looked at, too

class Watch {
 public:
  explicit Watch(const std::function<double()>& clock) : clock_(clock), begin_(clock()) {}
  double seconds() const { return clock_() - begin_; }

 private:
  const std::function<double()>& clock_;
  double begin_;
};

const IntegratorTraits& traits_of(const std::string& name) {
  return find_by_name(integrators(), name, "integrator");
}

/// Methods of a kind do the same work in a step, up to a small factor: Newton's method solves several times
/// what a Rosenbrock method solves once.
std::string kind_of(const IntegratorTraits& traits) { return traits.implicit ? "Rosenbrock" : traits.family; }

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
      failed == 0 ? "" : fmt::format("; {} failed, far slower or not tried", failed));
}

}  // namespace

/// At a tolerance: explicit, multistep, linearly implicit, implicit and exponential methods of several
/// orders; first the one whose steps cost least, then those that are the best most often: others are given
/// up the sooner, the better they are, and not tried where time is short. At a given step an explicit method
/// is rarely stable, and higher orders are what counts.
std::vector<std::string> usual_candidates(bool tolerance) {
  if (tolerance)
    return {"verlet", "ros3pl", "dopri5",     "exprb42", "tr-bdf2",
            "bdf2",   "bdf3",   "sdirk-nc34", "exprb32", "pexprb43"};
  return {"verlet", "implicit-midpoint", "tr-bdf2", "ros3pl", "exprb42", "pexprb43"};
}

AutomaticIntegrator::AutomaticIntegrator(AutomaticOptions options) : options_(std::move(options)) {
  if (options_.candidates.empty()) options_.candidates = usual_candidates(options_.tolerance > 0);
  if (!options_.clock) options_.clock = [watch = Stopwatch()] { return watch.seconds(); };
  for (const std::string& name : options_.candidates) traits_of(name);
  show(traits_of(options_.candidates.front()));
  traits_.oscillation_limit.reset();  // it may well be another one …
  traits_.name = "auto";              // … and the run is to notice when it is this one
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
  did_.assign(options_.candidates.size(), 0);
  seen_.assign(options_.candidates.size(), 0);
  regarded_ = infinite;
  inherited_.clear();
  wish_.reset();
  reviewed_ = false;
  in_trials_ = in_steps_ = decided_at_ = spent_ = probation_ = 0;
  window_begin_ = state.time;
  current_.reset();
  start_ = state;
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
    for (int i = 0; i < Tryout::fewest_steps && state.time < end_; ++i) {
      Step step = doubled_step(*method, state, options_.step);
      scale.see(step.state);
      const double error = scale.relative(*step.error) * (std::exp2(method->traits().order) - 1);
      trial.error = std::isfinite(error) ? std::max(trial.error, error) : infinite;
      state = std::move(step.state);
    }
    if (!(trial.error < 0.5)) trial.failure = "a step of that length is as good as wrong";
    trial.cost = watch.seconds() / (state.time - from.time) / 3;  // of three steps made, one is the run's
  } catch (const OutOfTime&) {                                    // of the run
    throw;
  } catch (const Error& error) {
    trial.failure = error.what();
    trial.error = trial.cost = infinite;
  }
  return trial;
}

const Decision& AutomaticIntegrator::decide(const State& from) {
  const Watch watch(options_.clock);
  const bool tolerance = options_.tolerance > 0;
  std::vector<std::size_t> order(options_.candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::unique_ptr<Tryout>> tryouts(order.size());
  std::vector<Attempt> trials;
  double best = infinite;
  bool held = false;  // the best so far is an explicit method
  // What the decision is for: the rest of the run, but no more than has been computed so far. The beginning
  // of a motion is rarely like the rest of it, so that it is no ground for a large investment.
  double of_the_best = 0;  // seconds that its trial took: if it stays that, the run takes them over
  const auto wasted = [&] { return watch.seconds() - of_the_best; };
  const auto ahead = [&] {
    return std::min(best * (end_ - from.time), std::max(outlook, in_steps_ + spent_));
  };
  const auto stake = [&] { return investment * ahead(); };
  const auto enough = [&] {  // at which no further method is tried
    const double brief = Tryout::shortest * static_cast<double>(order.size());
    return best < infinite ? std::max(brief, stake()) : infinite;
  };
  const auto allowance = [&]() -> Tryout::Allowance {
    const double all = stake();
    const double usual = std::max(Tryout::shortest, all / 2 / static_cast<double>(order.size()));
    const double while_open = std::max(Tryout::shortest, (all - wasted()) / 3);
    // One step may be dear and still the best there is, if it is long; all the more where the best so far is
    // held to the fastest vibration.
    const double step = std::max(while_open, share / 3 * ahead());
    return {usual, while_open, step, held ? std::max(step, long_share * ahead()) : step};
  };
  const auto go_on = [&](std::size_t i, const Tryout::Allowance& seconds) {
    tryouts[i]->go_on(seconds, best);
    trials[i] = tryouts[i]->attempt();
    // What a method did in the run says more than what it does in a trial, but it was another time.
    if (did_[i] > trials[i].cost) trials[i].cost = std::sqrt(trials[i].cost * did_[i]);
  };
  // What the method in use costs is known, without a trial and better: a trial would begin with short steps,
  // and resolve what long ones pass over.
  const std::optional<double> known = tolerance && current_ ? cost_so_far(from.time) : std::nullopt;
  const auto in_use = [&](std::size_t i) { return known && i == chosen_ && !gained_[i]; };
  // Why a candidate is not even tried; empty: it is.
  const auto pointless = [&](std::size_t i) -> std::string {
    if (gained_[i]) return "it makes energy out of nothing";
    if (seen_[i] > regarded_ && !in_use(i)) return "it was too slow before";
    const IntegratorTraits& traits = traits_of(options_.candidates[i]);
    for (const Attempt& t : trials) {
      const bool tried = tolerance && t.cost > 0;
      if (!tried || kind_of(traits) != kind_of(traits_of(t.integrator))) continue;
      if (!t.failure.empty() || t.cost > Tryout::hopeless * best)
        return fmt::format("{}, which is of the same kind, is far too slow", t.integrator);
      const bool no_dearer = traits.implicit || !traits_of(t.integrator).implicit;
      if (no_dearer && t.cost * t.step > allowance().step)
        return fmt::format("a step of {}, which is of the same kind, takes longer than a trial may",
                           t.integrator);
    }
    return {};
  };
  std::stable_partition(order.begin(), order.end(), in_use);
  // Where all steps cost the same a trial begins as a run would. Elsewhere steps that are too long may be
  // very dear: they begin short, or with what the best of others found.
  double h = std::max(first_step_ / 30, decisions_.empty() || traits_.oscillation_limit ? 0 : last_step_);
  const auto begin = [&](std::size_t i) {
    const IntegratorTraits& traits = traits_of(options_.candidates[i]);
    return traits.implicit || traits.uses_evaluator ? h : first_step_;
  };
  trials.resize(order.size());
  for (const std::size_t i : order) {
    Attempt& trial = trials[i];
    const std::string& name = options_.candidates[i];
    const double before = watch.seconds();
    trial = {.integrator = name, .cost = infinite, .failure = pointless(i)};
    if (in_use(i)) {
      trial.cost = *known, trial.step = last_step_;
    } else if (trial.failure.empty() && tolerance && wasted() > enough()) {
      trial.cost = 0, trial.failure = "no time is left to try it";  // but later there may be
    } else if (trial.failure.empty() && tolerance) {
      tryouts[i] =
          std::make_unique<Tryout>(name, method_for(name, options_), from, *scale_, begin(i),
                                   Tryout::Conditions{*system_, options_.tolerance, end_, options_.clock});
      go_on(i, allowance());
    } else if (trial.failure.empty()) {
      trial = by_error(i, from);
    }
    if (!trial.failure.empty() || !(trial.cost < best)) continue;
    best = trial.cost;
    of_the_best = in_use(i) ? 0 : watch.seconds() - before;
    held = traits_of(name).oscillation_limit.has_value();
    h = held ? std::max(h, few_vibrations * trial.step) : trial.step;
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
      if (tryouts[i] ? tryouts[i]->over() : !in_use(i)) return false;
      return t.growing ? t.cost <= Tryout::hopeless * best || !t.failure.empty()
                       : worth(i) <= Tryout::close * best;
    };
    const auto contenders = static_cast<double>(std::count_if(order.begin(), order.end(), open));
    const double left = stake() - wasted();
    // A method in use is only left for one that has been looked at for as long as that may take.
    const bool leaving = known && order[0] != chosen_ && !tryouts[order[0]]->over();
    const bool undecided = contenders > 1 || trials[order[0]].growing || leaving;
    if (!undecided || !(left > 4 * contenders * Tryout::shortest)) break;
    const double before = watch.seconds();
    for (const std::size_t i : order)
      if (open(i) && tryouts[i]) {
        const double seconds = left / contenders / 2;
        const Tryout::Allowance first = allowance();
        go_on(i, {seconds, seconds, std::max(seconds, first.step), std::max(seconds, first.long_step)});
      }
    sort();
    if (!(watch.seconds() > before)) break;  // there is nothing more to try
  }
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (!(seen_[i] > regarded_) || in_use(i))  // the others were not looked at
      // One that was given up is tried again only where it may well be better than the one in use.
      seen_[i] = trials[i].failure.empty() ? worth(i) : far * trials[i].cost;
  // At the beginning a method that damps, and solves once where Newton's method solves several times, is
  // trusted beyond its trial: its steps become longer when the first vibrations have died away.
  const auto sound = [&](std::size_t i) {
    const IntegratorTraits& traits = traits_of(options_.candidates[i]);
    return traits.l_stable && !traits.implicit && worth(i) <= trust * worth(order[0]);
  };
  const auto trusted = tolerance && decisions_.empty() ? std::ranges::find_if(order, sound) : order.end();
  probation_ = 0;
  if (trusted != order.end() && trusted != order.begin()) {
    probation_ = std::min(first_review, probation_part * worth(order[0]) * (end_ - from.time));
    std::rotate(order.begin(), trusted, trusted + 1);
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
  decision.seconds = watch.seconds();
  if (!current_ || chosen_ != order[0]) {
    if (known) did_[chosen_] = *known;
    take(order[0], from);
    if (tryouts[chosen_]) take_over(*tryouts[chosen_]);
    for (const Tryout::Made& made : inherited_) decision.seconds -= made.seconds;
  }
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
  inherited_.clear();
  current_ = method_for(options_.candidates[candidate], options_);
  current_->start(*system_, from);
  show(current_->traits());
  energy_ = system_->energy(from);
  steps_ = 0;
  marks_.assign(1, {from.time, in_steps_ + spent_});
}

/// The run goes on where the trial has ended, its steps included.
void AutomaticIntegrator::take_over(Tryout& trial) {
  wish_ = trial.attempt().step;
  Tryout::Legacy legacy = trial.leave();
  if (!legacy.method) return;
  current_ = std::move(legacy.method);
  inherited_.assign(std::make_move_iterator(legacy.steps.begin()),
                    std::make_move_iterator(legacy.steps.end()));
  wish_ = inherited_.front().h;
  after_them_ = trial.attempt().next_step;
}

/// Of simulated time, by the method in use, over the last third of the computing, or some seconds of it:
/// methods that damp take short steps until a disturbance has died away, and long ones again afterwards.
std::optional<double> AutomaticIntegrator::cost_so_far(double time) const {
  const double computed = in_steps_ + spent_;
  const double look_back = std::max(first_review, computed / 3);
  auto mark = marks_.rbegin();
  while (mark + 1 != marks_.rend() && computed - mark->seconds < look_back) ++mark;
  if (computed - mark->seconds < Tryout::shortest || time <= mark->time) return std::nullopt;
  return (computed - mark->seconds) / (time - mark->time);
}

void AutomaticIntegrator::review(const State& from) {
  scale_->see(from);
  if (!current_) decide(from);
  if (!inherited_.empty()) return;
  attempts_ = from.time == tried_from_ ? attempts_ + 1 : 0;
  tried_from_ = from.time;
  if ((++steps_ % energy_look == 0 || attempts_ == many_attempts) &&
      makes_energy(traits_, *scale_, energy_, system_->energy(from))) {
    gained_[chosen_] = true;
    if (std::ranges::count(gained_, false) == 0) gained_.assign(gained_.size(), false);
    regarded_ = infinite;
    decide(from);
  }
  // The cost of the last while, and whether a new decision would pay.
  const double advanced = from.time - window_begin_;
  if (!(spent_ > 20 * Tryout::shortest && advanced > 0)) return;
  const double cost = spent_ / advanced;
  const double computed = in_steps_ + spent_;
  const bool other = cost > changed * expected_ || cost < expected_ / changed;
  // Without a sign of change another look pays only where as much is left as has been done.
  const bool due = computed > std::max(2 * decided_at_, first_review) && cost * (end_ - from.time) > computed;
  // Where others were better than this when they were tried, only they are tried again, and soon.
  const bool doubted = probation_ > 0 && computed > probation_;
  if (doubted) probation_ = 0;
  const bool overtaken = (other || doubted) && better_seen(cost / worth_a_change);
  const bool another_regime = cost > upheaval * expected_;
  regarded_ = overtaken ? cost : another_regime ? infinite : far * std::max(cost, expected_);
  const bool pays = better_seen(regarded_) && share * cost * (end_ - from.time) > Tryout::shortest;
  const bool affordable = doubted || in_trials_ < (overtaken ? 2 : 1) * share * computed;
  if ((other || due || overtaken) && pays && affordable) {
    decide(from);
  } else {
    window_begin_ = from.time;
    in_steps_ += spent_;
    spent_ = 0;
    marks_.push_back({from.time, in_steps_});
  }
}

/// Whether any method but the one in use cost less than that when it was tried last.
bool AutomaticIntegrator::better_seen(double cost) const {
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (i != chosen_ && !gained_[i] && seen_[i] < cost) return true;
  return false;
}

double AutomaticIntegrator::preferred_step(const State& from, double h) {
  review(from);
  reviewed_ = true;
  return std::exchange(wish_, std::nullopt).value_or(h);
}

Step AutomaticIntegrator::step(const State& from, double h, bool want_error) {
  if (!std::exchange(reviewed_, false)) review(from);
  last_step_ = h;
  if (!inherited_.empty() && inherited_.front().h == h && want_error) {
    Tryout::Made made = std::move(inherited_.front());
    inherited_.pop_front();
    wish_ = inherited_.empty() ? after_them_ : inherited_.front().h;
    spent_ += made.seconds;
    handed_out_ = made.step.state;
    return std::move(made.step);
  }
  if (!inherited_.empty()) leave_inheritance(from);
  const Watch watch(options_.clock);
  Step step = want_error ? step_with_error(*current_, from, h) : current_->step(from, h, false);
  spent_ += watch.seconds();
  return step;
}

/// The method is ahead of the run, which has gone another way.
void AutomaticIntegrator::leave_inheritance(const State& from) {
  inherited_.clear();
  wish_.reset();
  current_ = method_for(options_.candidates[chosen_], options_);
  current_->start(*system_, from);
}

IntegratorMemory AutomaticIntegrator::save() {
  if (!inherited_.empty()) leave_inheritance(handed_out_);
  wish_.reset();
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
