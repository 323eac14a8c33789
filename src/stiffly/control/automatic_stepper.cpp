#include "stiffly/control/automatic_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiffly/control/trials.hpp"
#include "stiffly/control/tuning.hpp"
#include "stiffly/effort.hpp"
#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/limits.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

constexpr std::size_t memory_size = 3;  ///< the choice, its expected cost, the energy when it was made

std::string reason_of(const std::vector<TrialResult>& trials, bool tolerance) {
  const auto says = [&](const TrialResult& t) {
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
/// orders; first the one whose steps cost least, then those that are the best most often: others are given up
/// the sooner, the better they are, and not tried where time is short. At a given step an explicit method is
/// rarely stable, and higher orders are what counts.
std::vector<std::string> usual_candidates(bool tolerance) {
  if (tolerance)
    return {"verlet", "ros3pl", "energy-momentum", "dopri5",  "exprb42", "tr-bdf2",
            "bdf2",   "bdf3",   "sdirk-nc34",      "exprb32", "pexprb43"};
  return {"verlet", "energy-momentum", "implicit-midpoint", "tr-bdf2", "ros3pl", "exprb42", "pexprb43"};
}

AutomaticStepper::AutomaticStepper(const SecondOrderSystem& system, const State& start, const StepPlan& plan,
                                   AutomaticOptions options)
    : Stepper(system),
      plan_(plan),
      options_(std::move(options)),
      run_(system, start, plan),
      retry_below_(infinite),
      window_begin_(start.time) {
  if (options_.candidates.empty()) options_.candidates = usual_candidates(plan_.tolerance > 0);
  for (const std::string& name : options_.candidates) traits_of(name);
  first_step_ = run_.begin(plan_.tolerance > 0 ? plan_.tolerance : 1e-3, plan_.duration);
  const std::size_t count = options_.candidates.size();
  makes_energy_.assign(count, false);
  trial_cost_.assign(count, 0);
  run_cost_.assign(count, 0);
}

AutomaticStepper::AutomaticStepper(const SecondOrderSystem& system, const State& start, const StepPlan& plan,
                                   AutomaticOptions options, const State& now, const StepperMemory& memory)
    : AutomaticStepper(system, start, plan, std::move(options)) {
  const std::span<const double> numbers(memory.control);
  const std::size_t count = options_.candidates.size();
  if (numbers.size() < memory_size || !(numbers[0] >= 0 && numbers[0] < static_cast<double>(count)) ||
      numbers[0] != std::floor(numbers[0]) || !std::isfinite(numbers[1]) || !std::isfinite(numbers[2]))
    throw DamagedMemory("'control' begins with what no automatic choice saves");
  chosen_ = static_cast<std::size_t>(numbers[0]);
  expected_cost_ = numbers[1];
  energy_when_chosen_ = numbers[2];
  current_ = std::make_unique<ControlledStepper>(
      system, make_integrator(options_.candidates[chosen_], plan_, options_.integrator), start, plan_, now,
      StepperMemory{memory.method, {numbers.begin() + memory_size, numbers.end()}});
  window_begin_ = now.time;
  marks_.assign(1, {now.time, 0});
}

const IntegratorTraits& AutomaticStepper::traits() const {
  return current_ ? current_->traits() : traits_of(options_.candidates.front());
}

const StepRecord& AutomaticStepper::advance() {
  review();
  if (!steps_ahead_.empty()) {
    Trial::Made made = std::move(steps_ahead_.front());
    steps_ahead_.pop_front();
    window_seconds_ += made.seconds;
    handed_out_from_ = std::exchange(run_.state, std::move(made.state));
    system().recall(run_.state.history);
    run_.budget.accept(run_.energy - made.step.taken(), made.energy);
    run_.energy = made.energy;
    run_.scale.see(run_.state);
    run_.watch.see(run_.state, run_.energy);
    return record_ = std::move(made.step);
  }
  for (long attempts = 1;; ++attempts) {
    const double begin = effort_seconds();
    const ControlledStepper::Verdict verdict = current_->attempt();
    window_seconds_ += effort_seconds() - begin;
    if (verdict == ControlledStepper::Verdict::accepted) break;
    if (attempts == tuning::many_attempts) look_at_energy();
    if (!steps_ahead_.empty()) return advance();  // another method has taken over
  }
  ++steps_;
  handed_out_from_.reset();
  return record_ = current_->last();
}

std::vector<State> AutomaticStepper::within(std::span<const double> times) {
  if (!handed_out_from_) return current_->within(times);
  return current_->within(*handed_out_from_, record_.middle, run_.state, {}, times);
}

Trials AutomaticStepper::trials_from_here(const std::optional<double>& cost) const {
  const double last_step = current_ ? record_.h : 0;
  TrialConditions conditions{.system = system(),
                             .from = run_,
                             .first_step = first_step_,
                             .step = decisions_.empty() || traits().oscillation_limit ? 0 : last_step,
                             .computed = computed(),
                             .in_use = {},
                             .run_cost = run_cost_,
                             .excluded = std::vector<std::string>(run_cost_.size())};
  if (cost && !makes_energy_[chosen_]) conditions.in_use = {chosen_, *cost, last_step};
  for (std::size_t i = 0; i < run_cost_.size(); ++i)
    if (makes_energy_[i])
      conditions.excluded[i] = "it makes energy out of nothing";
    else if (trial_cost_[i] > retry_below_ && !(conditions.in_use && i == chosen_))
      conditions.excluded[i] = "it was too slow before";
  return {options_, plan_, std::move(conditions)};
}

const Decision& AutomaticStepper::decide() {
  const bool tolerance = plan_.tolerance > 0;
  run_ = run();
  const std::optional<double> known = tolerance && current_ ? cost_of_method_in_use() : std::nullopt;
  Trials trials = trials_from_here(known);
  trials.hold();
  for (std::size_t i = 0; i < trial_cost_.size(); ++i)
    if (!(trial_cost_[i] > retry_below_) || trials.in_use(i))  // the others were not tried
      // One that was given up is tried again only where it may well be better than the one in use.
      trial_cost_[i] =
          trials.result(i).failure.empty() ? trials.worth(i) : tuning::far * trials.result(i).cost;
  std::vector<std::size_t> ranking = trials.ranking();
  const auto prefer = [&](auto at) { std::rotate(ranking.begin(), at, at + 1); };
  // At the beginning a method that damps, and solves once where Newton's method solves several times, is
  // trusted beyond its trial: its steps become longer when the first vibrations have died away.
  const double best = trials.worth(ranking.front());
  const auto sound = [&](std::size_t i) {
    const IntegratorTraits& traits = traits_of(options_.candidates[i]);
    return traits.l_stable && !traits.implicit && trials.worth(i) <= tuning::trust * best;
  };
  trusted_until_ = 0;
  if (tolerance && decisions_.empty())
    if (const auto trusted = std::ranges::find_if(ranking, sound);
        trusted != ranking.end() && trusted != ranking.begin()) {
      trusted_until_ =
          std::min(tuning::first_review, tuning::probation * best * (run_.end - run_.state.time));
      prefer(trusted);
    }
  // Costs that are as good as the same must not depend on chance: the first of them in the list.
  const std::size_t first = *std::ranges::min_element(ranking, {}, [&](std::size_t i) {
    return trials.worth(i) <= tuning::same_cost * best ? i : ranking.size();
  });
  if (tolerance && trusted_until_ == 0) prefer(std::ranges::find(ranking, first));
  const auto kept = std::ranges::find_if(ranking, [&](std::size_t i) { return trials.in_use(i); });
  if (kept != ranking.end() && trials.worth(*kept) <= tuning::worth_a_change * best) prefer(kept);

  const std::size_t choice = ranking.front();
  const TrialResult& chosen = trials.result(choice);
  if (!(trials.worth(choice) < infinite))
    throw SimulationError(fmt::format("none of the methods tried can go on from t = {:.6g} s; {} says: {}",
                                      run_.state.time, chosen.integrator, chosen.failure));
  Decision decision{run_.state.time, chosen.integrator, {}, {}};
  for (const std::size_t i : ranking) decision.trials.push_back(trials.result(i));
  decision.reason = reason_of(decision.trials, tolerance);
  expected_cost_ = chosen.cost;
  decision.seconds = trials.seconds();
  close_window();
  decided_at_ = computed_before_;
  if (!current_ || chosen_ != choice) {
    if (known) run_cost_[chosen_] = *known;
    take(choice, chosen.step);
    if (Trial* trial = trials.trial(choice)) take_over(*trial, decision);
  }
  trial_seconds_ += decision.seconds;
  decisions_.push_back(std::move(decision));
  return decisions_.back();
}

/// From the present state, with a first step of about h where steps are chosen.
void AutomaticStepper::take(std::size_t candidate, double h) {
  chosen_ = candidate;
  steps_ahead_.clear();
  current_ = std::make_unique<ControlledStepper>(
      system(), make_integrator(options_.candidates[candidate], plan_, options_.integrator), run_, plan_, h);
  energy_when_chosen_ = run_.energy;
  steps_ = 0;
  marks_.assign(1, {run_.state.time, computed()});
}

/// The run goes on where the trial has ended, its steps included.
void AutomaticStepper::take_over(Trial& trial, Decision& decision) {
  Trial::Legacy legacy = trial.leave();
  if (!legacy.stepper) return;
  current_ = std::move(legacy.stepper);
  steps_ahead_.assign(std::make_move_iterator(legacy.steps.begin()),
                      std::make_move_iterator(legacy.steps.end()));
  for (const Trial::Made& made : steps_ahead_) decision.seconds -= made.seconds;
}

/// The method is ahead of the run, which is to go on from where it is.
void AutomaticStepper::drop_steps_ahead() {
  if (steps_ahead_.empty()) return;
  const double h = steps_ahead_.front().step.h;
  const double energy = energy_when_chosen_;
  take(chosen_, h);
  energy_when_chosen_ = energy;
}

/// Of simulated time, over the last third of the computing, or some seconds of it: methods that damp take
/// short steps until a disturbance has died away, and long ones again afterwards.
std::optional<double> AutomaticStepper::cost_of_method_in_use() const {
  const double look_back = std::max(tuning::first_review, computed() / 3);
  auto mark = marks_.rbegin();
  while (mark + 1 != marks_.rend() && computed() - mark->seconds < look_back) ++mark;
  if (computed() - mark->seconds < tuning::shortest_trial || run().state.time <= mark->time)
    return std::nullopt;
  return (computed() - mark->seconds) / (run().state.time - mark->time);
}

void AutomaticStepper::look_at_energy() {
  if (!makes_energy(traits(), run().scale, energy_when_chosen_, run().energy)) return;
  makes_energy_[chosen_] = true;
  if (std::ranges::count(makes_energy_, false) == 0) makes_energy_.assign(makes_energy_.size(), false);
  retry_below_ = infinite;
  decide();
}

/// Whether to decide anew, and if so, that.
void AutomaticStepper::review() {
  if (!current_) decide();
  if (!steps_ahead_.empty()) return;
  if (steps_ > 0 && steps_ % tuning::energy_look == 0) look_at_energy();
  // The cost of the last while, and whether a new decision would pay.
  const double time = run().state.time, left = run().end - time;
  const double advanced = time - window_begin_;
  if (!(window_seconds_ > tuning::fewest_steps * tuning::shortest_trial && advanced > 0)) return;
  const double cost = window_seconds_ / advanced;
  const bool another_regime = cost > tuning::upheaval * expected_cost_;
  if (!another_regime && !(window_seconds_ > 20 * tuning::shortest_trial)) return;
  const bool other = cost > tuning::changed * expected_cost_ || cost < expected_cost_ / tuning::changed;
  // Without a sign of change another look pays only where as much is left as has been done.
  const bool due = computed() > std::max(2 * decided_at_, tuning::first_review) && cost * left > computed();
  // Where others were better than this when they were tried, only they are tried again, and soon.
  const bool doubted = trusted_until_ > 0 && computed() > trusted_until_;
  if (doubted) trusted_until_ = 0;
  const bool overtaken = (other || doubted) && cheaper_in_trial(cost / tuning::worth_a_change);
  retry_below_ = overtaken ? cost : another_regime ? infinite : tuning::far * std::max(cost, expected_cost_);
  const bool pays =
      cheaper_in_trial(retry_below_) && tuning::trial_share * cost * left > tuning::shortest_trial;
  // What a choice for another regime cost is paid by the run to come, not by the one so far.
  const double paid_by = computed() + (another_regime ? cost * left : 0);
  const bool affordable = doubted || trial_seconds_ < (overtaken ? 2 : 1) * tuning::trial_share * paid_by;
  if ((other || due || overtaken) && pays && affordable)
    decide();
  else
    close_window();
}

void AutomaticStepper::close_window() {
  window_begin_ = run().state.time;
  computed_before_ += std::exchange(window_seconds_, 0);
  marks_.push_back({window_begin_, computed_before_});
}

/// Whether any method but the one in use cost less than that when it was tried last.
bool AutomaticStepper::cheaper_in_trial(double cost) const {
  for (std::size_t i = 0; i < trial_cost_.size(); ++i)
    if (i != chosen_ && !makes_energy_[i] && trial_cost_[i] < cost) return true;
  return false;
}

StepperMemory AutomaticStepper::save() {
  drop_steps_ahead();
  StepperMemory memory = current_->save();
  memory.control.insert(memory.control.begin(),
                        {static_cast<double>(chosen_), expected_cost_, energy_when_chosen_});
  return memory;
}

const IntegratorTraits& traits_of(const std::string& name) {
  return find_by_name(integrators(), name, "integrator");
}

std::unique_ptr<Integrator> make_integrator(const IntegratorInfo& info, const StepPlan& plan,
                                            const IntegratorOptions& options) {
  return info.make(plan.tolerance > 0 ? options_for(info, options, plan.tolerance) : options);
}

std::unique_ptr<Integrator> make_integrator(const std::string& name, const StepPlan& plan,
                                            const IntegratorOptions& options) {
  return make_integrator(find_by_name(integrators(), name, "integrator"), plan, options);
}

Decision advise(const SecondOrderSystem& system, const State& start, const StepPlan& plan,
                const AutomaticOptions& options) {
  return AutomaticStepper(system, start, plan, options).decide();
}

}  // namespace stiffly
