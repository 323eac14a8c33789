#include "stiffly/control/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "stiffly/control/tuning.hpp"
#include "stiffly/integrators/step_doubling.hpp"
#include "stiffly/limits.hpp"

namespace stiffly {
namespace {

/// Methods of a kind do the same work in a step, up to a small factor, and take similar steps: Newton's method solves
/// several times what a Rosenbrock method solves once. Where vibrations die away at the beginning, those that damp them
/// take long steps soon, and those that keep them do not.
std::string kind_of(const IntegratorTraits& traits) {
  if (!traits.implicit) return traits.family;
  return traits.symplectic ? "symplectic and implicit" : "Rosenbrock";
}

}  // namespace

Trials::Trials(const AutomaticOptions& options, const StepPlan& plan, TrialConditions conditions)
    : options_(options),
      plan_(plan),
      conditions_(std::move(conditions)),
      begin_(effort_seconds()),
      ranking_(options.candidates.size()),
      results_(ranking_.size()),
      trials_(ranking_.size()),
      best_(infinite) {
  std::iota(ranking_.begin(), ranking_.end(), std::size_t{0});
  std::stable_partition(ranking_.begin(), ranking_.end(), [&](std::size_t i) { return in_use(i); });
}

void Trials::hold() {
  try_all();
  sort();
  if (by_cost()) try_longer();
}

bool Trials::in_use(std::size_t i) const { return conditions_.in_use && conditions_.in_use->candidate == i; }

double Trials::worth(std::size_t i) const {
  const TrialResult& a = results_[i];
  if (!a.failure.empty()) return infinite;
  return !by_cost() ? a.error : a.growing ? a.cost / tuning::promise : a.cost;
}

void Trials::sort() {
  std::stable_sort(ranking_.begin(), ranking_.end(),
                   [&](std::size_t a, std::size_t b) { return worth(a) < worth(b); });
}

/// What the decision is for: the rest of the run, but no more than has been computed so far. The beginning of
/// a motion is rarely like the rest of it, so that it is no ground for a large investment.
double Trials::ahead() const {
  return std::min(best_ * (conditions_.from.end - conditions_.from.state.time),
                  std::max(tuning::outlook, conditions_.computed));
}

double Trials::stake() const { return tuning::investment * ahead(); }

/// At which no further method is tried.
double Trials::enough() const {
  const double brief = tuning::shortest_trial * static_cast<double>(ranking_.size());
  return best_ < infinite ? std::max(brief, stake()) : infinite;
}

Trial::Allowance Trials::allowance() const {
  const double all = stake();
  const double usual = std::max(tuning::shortest_trial, all / 2 / static_cast<double>(ranking_.size()));
  const double while_open = std::max(tuning::shortest_trial, (all - wasted()) / 3);
  // One step may be dear and still the best there is, if it is long; all the more where the best so far is
  // held to the fastest vibration.
  const double step = std::max(while_open, tuning::step_share * ahead());
  return {usual, while_open, step, held_ ? std::max(step, tuning::long_share * ahead()) : step};
}

/// Why a candidate is not even tried; empty: it is.
std::string Trials::pointless(std::size_t i) const {
  if (!conditions_.excluded[i].empty() || !by_cost()) return conditions_.excluded[i];
  const IntegratorTraits& traits = traits_of(options_.candidates[i]);
  for (const TrialResult& a : results_) {
    if (!(a.cost > 0)) continue;  // it has not been tried
    const IntegratorTraits& other = traits_of(a.integrator);
    if (kind_of(traits) != kind_of(other)) continue;
    if (!a.failure.empty() || a.cost > tuning::hopeless * best_)
      return fmt::format("{}, which is of the same kind, is far too slow", a.integrator);
    const bool no_dearer = traits.implicit || !other.implicit;
    if (no_dearer && a.cost * a.step > allowance().step)
      return fmt::format("a step of {}, which is of the same kind, takes longer than a trial may",
                         a.integrator);
  }
  return {};
}

void Trials::go_on(std::size_t i, const Trial::Allowance& seconds) {
  trials_[i]->go_on(seconds, best_);
  results_[i] = trials_[i]->result();
  // What a method did in the run says more than what it does in a trial, but it was another time.
  double& cost = results_[i].cost;
  if (conditions_.run_cost[i] > cost) cost = std::sqrt(cost * conditions_.run_cost[i]);
}

void Trials::try_all() {
  // Where all steps cost the same a trial begins as a run would. Elsewhere steps that are too long may be
  // very dear: they begin short, or with what the best of others found.
  double h = std::max(conditions_.first_step / 30, conditions_.step);
  for (const std::size_t i : ranking_) {
    TrialResult& result = results_[i];
    const std::string& name = options_.candidates[i];
    const IntegratorTraits& traits = traits_of(name);
    const double before = seconds();
    result = {.integrator = name, .cost = infinite, .failure = pointless(i)};
    if (in_use(i)) {
      result.cost = conditions_.in_use->cost, result.step = conditions_.in_use->step;
    } else if (result.failure.empty() && !by_cost()) {
      result = by_error(i);
    } else if (result.failure.empty() && wasted() > enough()) {
      result.cost = 0, result.failure = "no time is left to try it";  // but later there may be
    } else if (result.failure.empty()) {
      trials_[i] = std::make_unique<Trial>(
          conditions_.system, make_integrator(name, plan_, options_.integrator), conditions_.from, plan_,
          traits.implicit || traits.uses_evaluator ? h : conditions_.first_step);
      go_on(i, allowance());
    }
    if (!result.failure.empty() || !(result.cost < best_)) continue;
    best_ = result.cost;
    of_the_best_ = in_use(i) ? 0 : seconds() - before;
    held_ = traits.oscillation_limit.has_value();
    h = held_ ? std::max(h, tuning::few_vibrations * result.step) : result.step;
  }
}

/// A few steps of the given length against twice as many of half of it.
TrialResult Trials::by_error(std::size_t i) const {
  TrialResult result{.integrator = options_.candidates[i], .step = plan_.step};
  const double begin = effort_seconds();
  try {
    const auto method = make_integrator(options_.candidates[i], plan_, options_.integrator);
    MotionScale scale = conditions_.from.scale;
    State state = conditions_.from.state;
    method->start(conditions_.system, state);
    for (int steps = 0; steps < tuning::fewest_steps && state.time < conditions_.from.end; ++steps) {
      Step step = doubled_step(*method, state, plan_.step);
      scale.see(step.state);
      const double error = scale.relative(*step.error) * (std::exp2(method->traits().order) - 1);
      result.error = std::isfinite(error) ? std::max(result.error, error) : infinite;
      state = std::move(step.state);
    }
    if (!(result.error < tuning::large_error))
      result.failure =
          fmt::format("a step of that length is wrong by {:.0f} % of the motion", 100 * result.error);
    // Of three steps made one is the run's.
    result.cost = (effort_seconds() - begin) / (state.time - conditions_.from.state.time) / 3;
  } catch (const OutOfTime&) {  // of the run
    throw;
  } catch (const Error& error) {
    result.failure = error.what();
    result.error = result.cost = infinite;
  }
  return result;
}

/// Whether a longer trial may change its rank.
bool Trials::open(std::size_t i) const {
  const TrialResult& a = results_[i];
  if (trials_[i] ? trials_[i]->over() : !in_use(i)) return false;
  return a.growing ? a.cost <= tuning::hopeless * best_ || !a.failure.empty()
                   : worth(i) <= tuning::close * best_;
}

/// As long as the run to come is worth it.
void Trials::try_longer() {
  const auto is_open = [&](std::size_t i) { return open(i); };
  while (true) {
    const std::size_t first = ranking_.front();
    best_ = worth(first);
    const auto contenders = static_cast<double>(std::ranges::count_if(ranking_, is_open));
    const double left = stake() - wasted();
    // A method in use is only left for one that has been looked at for as long as that may take.
    const bool leaving = conditions_.in_use && !in_use(first) && !trials_[first]->over();
    const bool undecided = contenders > 1 || results_[first].growing || leaving;
    if (!undecided || !(left > 4 * contenders * tuning::shortest_trial)) return;
    const double before = seconds(), each = left / contenders / 2;
    for (const std::size_t i : ranking_)
      if (open(i) && trials_[i]) {
        const Trial::Allowance first_time = allowance();
        go_on(i, {each, each, std::max(each, first_time.step), std::max(each, first_time.long_step)});
      }
    sort();
    if (!(seconds() > before)) return;  // there is nothing more to try
  }
}

}  // namespace stiffly
