#include "stiffly/control/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "stiffly/error.hpp"
#include "stiffly/integrators/step_doubling.hpp"

namespace stiffly {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double step_share = 0.1 / 3;  ///< of the time that a decision is for, that a single step may take
constexpr double long_share = 0.15;     ///< the same for one that promises to be worth it
constexpr double investment = 0.07;     ///< of it, that all trials may take
constexpr double outlook = 15;          ///< s of computing, for which a decision is made at least
constexpr double few_vibrations = 10;  ///< steps at the limit of an explicit method, that others make at once
constexpr double promise = 2.5;  ///< by which a cost falls at least where steps have not found their length

/// Methods of a kind do the same work in a step, up to a small factor: Newton's method solves several times
/// what a Rosenbrock method solves once.
std::string kind_of(const IntegratorTraits& traits) { return traits.implicit ? "Rosenbrock" : traits.family; }

}  // namespace

Contest::Contest(const AutomaticOptions& options, ContestTerms terms)
    : options_(options),
      terms_(std::move(terms)),
      begin_(options.clock()),
      ranking_(options.candidates.size()),
      attempts_(ranking_.size()),
      tryouts_(ranking_.size()),
      best_(infinite) {
  std::iota(ranking_.begin(), ranking_.end(), std::size_t{0});
  std::stable_partition(ranking_.begin(), ranking_.end(), [&](std::size_t i) { return in_use(i); });
}

void Contest::hold() {
  try_all();
  sort();
  if (by_cost()) try_longer();
}

bool Contest::in_use(std::size_t i) const { return terms_.in_use && terms_.in_use->candidate == i; }

double Contest::worth(std::size_t i) const {
  const Attempt& a = attempts_[i];
  if (!a.failure.empty()) return infinite;
  return !by_cost() ? a.error : a.growing ? a.cost / promise : a.cost;
}

void Contest::sort() {
  std::stable_sort(ranking_.begin(), ranking_.end(),
                   [&](std::size_t a, std::size_t b) { return worth(a) < worth(b); });
}

/// What the decision is for: the rest of the run, but no more than has been computed so far. The beginning of
/// a motion is rarely like the rest of it, so that it is no ground for a large investment.
double Contest::ahead() const {
  return std::min(best_ * (terms_.end - terms_.from.time), std::max(outlook, terms_.computed));
}

double Contest::stake() const { return investment * ahead(); }

/// At which no further method is tried.
double Contest::enough() const {
  const double brief = Tryout::shortest * static_cast<double>(ranking_.size());
  return best_ < infinite ? std::max(brief, stake()) : infinite;
}

Tryout::Allowance Contest::allowance() const {
  const double all = stake();
  const double usual = std::max(Tryout::shortest, all / 2 / static_cast<double>(ranking_.size()));
  const double while_open = std::max(Tryout::shortest, (all - wasted()) / 3);
  // One step may be dear and still the best there is, if it is long; all the more where the best so far is
  // held to the fastest vibration.
  const double step = std::max(while_open, step_share * ahead());
  return {usual, while_open, step, held_ ? std::max(step, long_share * ahead()) : step};
}

/// Why a candidate is not even tried; empty: it is.
std::string Contest::pointless(std::size_t i) const {
  if (!terms_.excluded[i].empty() || !by_cost()) return terms_.excluded[i];
  const IntegratorTraits& traits = traits_of(options_.candidates[i]);
  for (const Attempt& a : attempts_) {
    if (!(a.cost > 0)) continue;  // it has not been tried
    const IntegratorTraits& other = traits_of(a.integrator);
    if (kind_of(traits) != kind_of(other)) continue;
    if (!a.failure.empty() || a.cost > Tryout::hopeless * best_)
      return fmt::format("{}, which is of the same kind, is far too slow", a.integrator);
    const bool no_dearer = traits.implicit || !other.implicit;
    if (no_dearer && a.cost * a.step > allowance().step)
      return fmt::format("a step of {}, which is of the same kind, takes longer than a trial may",
                         a.integrator);
  }
  return {};
}

void Contest::go_on(std::size_t i, const Tryout::Allowance& seconds) {
  tryouts_[i]->go_on(seconds, best_);
  attempts_[i] = tryouts_[i]->attempt();
  // What a method did in the run says more than what it does in a trial, but it was another time.
  double& cost = attempts_[i].cost;
  if (terms_.did[i] > cost) cost = std::sqrt(cost * terms_.did[i]);
}

void Contest::try_all() {
  // Where all steps cost the same a trial begins as a run would. Elsewhere steps that are too long may be
  // very dear: they begin short, or with what the best of others found.
  double h = std::max(terms_.first_step / 30, terms_.step);
  for (const std::size_t i : ranking_) {
    Attempt& attempt = attempts_[i];
    const std::string& name = options_.candidates[i];
    const IntegratorTraits& traits = traits_of(name);
    const double before = seconds();
    attempt = {.integrator = name, .cost = infinite, .failure = pointless(i)};
    if (in_use(i)) {
      attempt.cost = terms_.in_use->cost, attempt.step = terms_.in_use->step;
    } else if (attempt.failure.empty() && !by_cost()) {
      attempt = by_error(i);
    } else if (attempt.failure.empty() && wasted() > enough()) {
      attempt.cost = 0, attempt.failure = "no time is left to try it";  // but later there may be
    } else if (attempt.failure.empty()) {
      tryouts_[i] = std::make_unique<Tryout>(
          name, method_for(name, options_), terms_.from, terms_.scale,
          traits.implicit || traits.uses_evaluator ? h : terms_.first_step,
          Tryout::Conditions{terms_.system, options_.tolerance, terms_.end, options_.clock});
      go_on(i, allowance());
    }
    if (!attempt.failure.empty() || !(attempt.cost < best_)) continue;
    best_ = attempt.cost;
    of_the_best_ = in_use(i) ? 0 : seconds() - before;
    held_ = traits.oscillation_limit.has_value();
    h = held_ ? std::max(h, few_vibrations * attempt.step) : attempt.step;
  }
}

/// A few steps of the given length against twice as many of half of it.
Attempt Contest::by_error(std::size_t i) const {
  Attempt attempt{.integrator = options_.candidates[i], .step = options_.step};
  const double begin = options_.clock();
  try {
    const std::unique_ptr<Integrator> method = method_for(options_.candidates[i], options_);
    method->start(terms_.system, terms_.from);
    MotionScale scale = terms_.scale;
    State state = terms_.from;
    for (int steps = 0; steps < Tryout::fewest_steps && state.time < terms_.end; ++steps) {
      Step step = doubled_step(*method, state, options_.step);
      scale.see(step.state);
      const double error = scale.relative(*step.error) * (std::exp2(method->traits().order) - 1);
      attempt.error = std::isfinite(error) ? std::max(attempt.error, error) : infinite;
      state = std::move(step.state);
    }
    if (!(attempt.error < 0.5)) attempt.failure = "a step of that length is as good as wrong";
    // Of three steps made one is the run's.
    attempt.cost = (options_.clock() - begin) / (state.time - terms_.from.time) / 3;
  } catch (const OutOfTime&) {  // of the run
    throw;
  } catch (const Error& error) {
    attempt.failure = error.what();
    attempt.error = attempt.cost = infinite;
  }
  return attempt;
}

/// Whether a longer trial may change its rank.
bool Contest::open(std::size_t i) const {
  const Attempt& a = attempts_[i];
  if (tryouts_[i] ? tryouts_[i]->over() : !in_use(i)) return false;
  return a.growing ? a.cost <= Tryout::hopeless * best_ || !a.failure.empty()
                   : worth(i) <= Tryout::close * best_;
}

/// As long as the run to come is worth it.
void Contest::try_longer() {
  const auto is_open = [&](std::size_t i) { return open(i); };
  while (true) {
    const std::size_t first = ranking_.front();
    best_ = worth(first);
    const auto contenders = static_cast<double>(std::ranges::count_if(ranking_, is_open));
    const double left = stake() - wasted();
    // A method in use is only left for one that has been looked at for as long as that may take.
    const bool leaving = terms_.in_use && !in_use(first) && !tryouts_[first]->over();
    const bool undecided = contenders > 1 || attempts_[first].growing || leaving;
    if (!undecided || !(left > 4 * contenders * Tryout::shortest)) return;
    const double before = seconds(), each = left / contenders / 2;
    for (const std::size_t i : ranking_)
      if (open(i) && tryouts_[i]) {
        const Tryout::Allowance first_time = allowance();
        go_on(i, {each, each, std::max(each, first_time.step), std::max(each, first_time.long_step)});
      }
    sort();
    if (!(seconds() > before)) return;  // there is nothing more to try
  }
}

}  // namespace stiffly
