#include "stiffly/control/automatic_integrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "stiffly/control/contest.hpp"
#include "stiffly/stopwatch.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double share = 0.1;           ///< of a run's time that trials may take
constexpr double first_review = 6;      ///< s of computing, after which it is looked at again
constexpr double worth_a_change = 1.2;  ///< factor by which another method must be better than the one in use
constexpr double changed = 2;           ///< factor of the cost that makes a new decision worth while
constexpr double upheaval = 5;          ///< factor of the cost after which everything is tried again
constexpr double far = 10;              ///< factor beyond which a method is not tried again before that
constexpr double trust = 2.5;           ///< factor by which the trial of a sound method may mislead
constexpr double probation_part = 0.15;  ///< of the run by the best of the trials, that trust lasts for
constexpr int energy_look = 20;          ///< steps from one look at the energy to the next
constexpr int many_attempts = 6;         ///< from one state, after which the energy is looked at, too

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

Contest AutomaticIntegrator::contest_from(const State& from, const std::optional<double>& cost) const {
  ContestTerms terms{.system = *system_,
                     .from = from,
                     .scale = *scale_,
                     .end = end_,
                     .first_step = first_step_,
                     .step = decisions_.empty() || traits_.oscillation_limit ? 0 : last_step_,
                     .computed = in_steps_ + spent_,
                     .in_use = {},
                     .did = did_,
                     .excluded = std::vector<std::string>(did_.size())};
  if (cost && !gained_[chosen_]) terms.in_use = {chosen_, *cost, last_step_};
  for (std::size_t i = 0; i < did_.size(); ++i)
    if (gained_[i])
      terms.excluded[i] = "it makes energy out of nothing";
    else if (seen_[i] > regarded_ && !(terms.in_use && i == chosen_))
      terms.excluded[i] = "it was too slow before";
  return {options_, std::move(terms)};
}

const Decision& AutomaticIntegrator::decide(const State& from) {
  const bool tolerance = options_.tolerance > 0;
  const std::optional<double> known = tolerance && current_ ? cost_so_far(from.time) : std::nullopt;
  Contest contest = contest_from(from, known);
  contest.hold();
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (!(seen_[i] > regarded_) || contest.in_use(i))  // the others were not looked at
      // One that was given up is tried again only where it may well be better than the one in use.
      seen_[i] = contest.attempt(i).failure.empty() ? contest.worth(i) : far * contest.attempt(i).cost;
  std::vector<std::size_t> ranking = contest.ranking();
  const auto prefer = [&](auto at) { std::rotate(ranking.begin(), at, at + 1); };
  // At the beginning a method that damps, and solves once where Newton's method solves several times, is
  // trusted beyond its trial: its steps become longer when the first vibrations have died away.
  const double best = contest.worth(ranking.front());
  const auto sound = [&](std::size_t i) {
    const IntegratorTraits& traits = traits_of(options_.candidates[i]);
    return traits.l_stable && !traits.implicit && contest.worth(i) <= trust * best;
  };
  probation_ = 0;
  if (tolerance && decisions_.empty())
    if (const auto trusted = std::ranges::find_if(ranking, sound);
        trusted != ranking.end() && trusted != ranking.begin()) {
      probation_ = std::min(first_review, probation_part * best * (end_ - from.time));
      prefer(trusted);
    }
  const auto kept = std::ranges::find_if(ranking, [&](std::size_t i) { return contest.in_use(i); });
  if (kept != ranking.end() && contest.worth(*kept) <= worth_a_change * best) prefer(kept);

  const std::size_t choice = ranking.front();
  const Attempt& chosen = contest.attempt(choice);
  if (!(contest.worth(choice) < infinite))
    throw SimulationError(fmt::format("none of the methods tried can go on from t = {:.6g} s; {} says: {}",
                                      from.time, chosen.integrator, chosen.failure));
  Decision decision{from.time, chosen.integrator, {}, {}};
  for (const std::size_t i : ranking) decision.attempts.push_back(contest.attempt(i));
  decision.reason = reason_of(decision.attempts, tolerance);
  expected_ = chosen.cost;
  last_step_ = chosen.step;
  decision.seconds = contest.seconds();
  if (!current_ || chosen_ != choice) {
    if (known) did_[chosen_] = *known;
    take(choice, from);
    if (Tryout* trial = contest.tryout(choice)) take_over(*trial);
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
  const double begin = options_.clock();
  Step step = want_error ? step_with_error(*current_, from, h) : current_->step(from, h, false);
  spent_ += options_.clock() - begin;
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

const IntegratorTraits& traits_of(const std::string& name) {
  return find_by_name(integrators(), name, "integrator");
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
