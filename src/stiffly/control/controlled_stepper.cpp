#include "stiffly/control/controlled_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/control/dense_output.hpp"
#include "stiffly/integrators/memory_reader.hpp"

namespace stiffly {
namespace {

/// By things that were put apart, J.
double brought_by(const Step& step) { return step.projection ? -step.projection->taken : 0; }

void check_positive(double value, const char* what) {
  if (!(std::isfinite(value) && value > 0))
    throw InputError(fmt::format("the {} must be positive and finite, not {}", what, value));
}

constexpr std::size_t most_past = 3;   ///< states: where a step began, and two before it
constexpr std::size_t own_memory = 3;  ///< the next step, and two numbers of the controller

/// Throws DamagedMemory unless the numbers are finite, and none but the energies below what says "none".
void check_memory(std::span<const double> control) {
  constexpr std::size_t count = RunSoFar::memory_size + own_memory;
  if (control.size() != count)
    throw DamagedMemory(
        fmt::format("'control' has {} numbers of the step control instead of {}", control.size(), count));
  for (std::size_t i = 0; i < count; ++i)
    if (const bool energy = i >= RunSoFar::first_energy && i < RunSoFar::memory_size;
        !std::isfinite(control[i]) || (!energy && control[i] < -1))
      throw DamagedMemory("'control' has numbers that no step control saves");
}

std::vector<State> states_within(Integrator& method, const State& from, const State& to,
                                 std::span<const State* const> before, std::span<const double> times) {
  if (times.empty()) return {};
  if (method.traits().own_dense_output) return method.within(from, to, times);
  std::vector<State> out;
  for (const double time : times) out.push_back(interpolate(from, to, before, time));
  return out;
}

/// What the system is to go on from.
State recalled(const SecondOrderSystem& system, State state) {
  system.recall(state.history);
  return state;
}

RunSoFar resumed(const SecondOrderSystem& system, const State& start, const StepPlan& plan, const State& now,
                 std::span<const double> control) {
  check_memory(control);
  RunSoFar run(system, start, plan);
  run.restore(recalled(system, now), control.first(RunSoFar::memory_size));
  run.energy = system.energy(now);
  return run;
}

}  // namespace

void StepPlan::check(double start_time) const {
  check_positive(duration, "duration");
  if (tolerance != 0) return check_positive(tolerance, "tolerance");
  check_positive(step, "step");
  if (start_time + step == start_time)
    throw InputError(fmt::format("a step of {} s is lost in the round-off of t = {} s", step, start_time));
}

EqualSteps::EqualSteps(double start_time, const StepPlan& plan)
    : start_(start_time),
      end_(start_time + plan.duration),
      step_(plan.step),
      count_(std::max(1L, static_cast<long>(std::ceil(plan.duration / plan.step - 1e-9)))) {}

double EqualSteps::next_time() const { return made_ + 1 == count_ ? end_ : time_after(made_ + 1); }

double EqualSteps::next_length(double time) const {
  const double left = end_ - time;
  return made_ + 1 == count_ && left < (1 - 1e-9) * step_ ? left : step_;
}

void EqualSteps::restore(double made, double time) {
  const bool counts = made >= 0 && made < static_cast<double>(count_) && made == std::floor(made);
  if (!counts || time_after(static_cast<long>(made)) != time)
    throw DamagedMemory(
        fmt::format("'control' says that {} of {} steps were made up to t = {} s", made, count_, time));
  made_ = static_cast<long>(made);
}

RunSoFar::RunSoFar(const SecondOrderSystem& system, const State& start, const StepPlan& plan)
    : state(recalled(system, start)),
      end(start.time + plan.duration),
      scale(system, start),
      watch(system, start, scale.energy_roundoff()),
      energy(watch.initial_energy()),
      budget(system, start, energy, plan.duration, plan.tolerance) {
  plan.check(start.time);
  if (plan.tolerance == 0) equal_steps.emplace(start.time, plan);
}

double RunSoFar::begin(double tolerance, double duration) {
  const double h = scale.first_step(tolerance, duration);
  watch.rest_below(0.5 * scale.speed() * scale.speed());
  return h;
}

std::vector<double> RunSoFar::save() const {
  std::vector<double> out = scale.save();
  const std::vector<double> watched = watch.save();
  out.push_back(watched.front());
  out.push_back(equal_steps ? static_cast<double>(equal_steps->made()) : 0);
  for (const double number : budget.save()) out.push_back(number);
  out.insert(out.end(), watched.begin() + 1, watched.end());
  return out;
}

void RunSoFar::restore(const State& now, std::span<const double> memory) {
  state = now;
  scale.restore(memory.first(2));
  std::vector<double> watched = {memory[2]};
  const std::span<const double> look = memory.subspan(first_energy + EnergyBudget::memory_size);
  watched.insert(watched.end(), look.begin(), look.end());
  watch.restore(watched);
  if (equal_steps) equal_steps->restore(memory[3], now.time);
  budget.restore(memory.subspan(first_energy, EnergyBudget::memory_size));
}

ControlledStepper::ControlledStepper(const SecondOrderSystem& system, std::shared_ptr<Integrator> method,
                                     RunSoFar run, const StepPlan& plan, double h)
    : Stepper(system),
      method_(std::move(method)),
      plan_(plan),
      run_(std::move(run)),
      controller_(method_->traits(), plan.tolerance),
      phase_(system, method_->traits(), plan.duration, plan.tolerance),
      limit_(system, method_->traits()),
      drives_(system, run_.end - plan.duration, plan.tolerance > 0 ? plan.duration : 0),
      h_(h) {
  method_->start(system, run_.state);
  begin_books();
}

/// Explicit methods resolve what they step over, and their estimates see it.
void ControlledStepper::begin_books() {
  books_.reset();
  if (plan_.tolerance == 0 || !EnergyBooks::possible(system()) || !run_.budget.trusts_books() ||
      traits().oscillation_limit)
    return;
  books_.emplace(system());
  books_->see(run_.state);
}

ControlledStepper::ControlledStepper(const SecondOrderSystem& system, std::shared_ptr<Integrator> method,
                                     const State& start, const StepPlan& plan)
    : ControlledStepper(system, std::move(method), RunSoFar(system, start, plan), plan, 0) {
  if (plan_.tolerance > 0) h_ = run_.begin(plan_.tolerance, plan_.duration);
}

ControlledStepper::ControlledStepper(const SecondOrderSystem& system, std::shared_ptr<Integrator> method,
                                     const State& start, const StepPlan& plan, const State& now,
                                     const StepperMemory& memory)
    : ControlledStepper(system, std::move(method), resumed(system, start, plan, now, memory.control), plan,
                        0) {
  const std::span<const double> own = std::span(memory.control).subspan(RunSoFar::memory_size);
  h_ = own[0];
  controller_.restore(own.subspan(1, 2));
  method_->restore(memory.method);
  system.forget();
}

StepperMemory ControlledStepper::save() {
  StepperMemory out{method_->save(), run_.save()};
  out.control.push_back(h_);
  const std::vector<double> controller = controller_.save();
  out.control.insert(out.control.end(), controller.begin(), controller.end());
  limit_.forget();
  drives_.forget();
  begin_books();
  fitted_.reset();
  past_.clear();  // frames within the next step are made from what a resumed run has, too
  system().forget();
  return out;
}

const StepRecord& ControlledStepper::advance() {
  while (attempt() != Verdict::accepted) {
  }
  return record_;
}

ControlledStepper::Verdict ControlledStepper::attempt() {
  system().recall(run_.state.history);  // others may have been on their way since
  if (run_.equal_steps) {
    make_given_step();
    return Verdict::accepted;
  }
  const double h = next_step();
  fitted_.reset();
  const double shortest = std::max(1e-14 * std::abs(run_.state.time), 1e-13 * plan_.duration);
  if (!(h > shortest)) give_up(h);
  tried_ = h;
  at_limit_ = h_ >= longest_;
  const Verdict verdict = try_chosen_step(h);
  if (verdict != Verdict::accepted) {
    ++rejected_;
    h_ = h * controller_.factor();
  }
  return verdict;
}

double ControlledStepper::next_step() {
  if (run_.equal_steps) return run_.equal_steps->next_length(run_.state.time);
  if (!fitted_) {
    longest_ = plan_.stability_share * limit_.longest_step(run_.state);
    h_ = drives_.longest_step(run_.state.time, std::min(h_, longest_));
    h_ = system().longest_step(run_.state, h_);
    h_ = method_->longest_step(run_.state, h_);
    fitted_ = fitted_step(h_, run_.end - run_.state.time);
  }
  return *fitted_;
}

double ControlledStepper::growth() const { return std::min(controller_.factor(), longest_ / tried_); }

void ControlledStepper::make_given_step() {
  const double h = next_step();
  Step step = method_->step(run_.state, h, false);
  step.state.time = run_.equal_steps->next_time();
  const double energy = run_.watch.check(run_.state, step.state, h, brought_by(step));
  run_.equal_steps->count_one();
  accept(std::move(step), h, energy);
}

ControlledStepper::Verdict ControlledStepper::try_chosen_step(double h) {
  Step step;
  double energy = 0;
  try {
    step = step_with_error(*method_, run_.state, h);
    if (h == run_.end - run_.state.time) step.state.time = run_.end;
    energy = run_.watch.check(run_.state, step.state, h, brought_by(step));
  } catch (const SimulationError& error) {
    trouble_ = error.what();
    controller_.fail();
    return Verdict::failed;
  }
  const std::vector<double> scale_before = run_.scale.save();
  run_.scale.see(step.state);
  const double error = run_.scale.relative(*step.error);
  std::optional<EnergyBooks> books = books_;
  std::optional<EnergyTransfer> transfer;
  const bool jump = drives_.jumps(run_.state.time, h);
  const double before = run_.energy + brought_by(step);  // what contact left
  if (books && !jump) transfer = books->transfer(step.state);
  double share = jump ? 0
                      : run_.budget.share(run_.scale, before, energy, step.state.time, h,
                                          !traits().oscillation_limit, transfer);
  using Outlook = EnergyBudget::Outlook;
  const Outlook outlook =
      share > 1 && controller_.small(error) ? run_.budget.outlook(h, share) : Outlook::open;
  const bool lost = outlook == Outlook::hopeless;
  if (outlook == Outlook::unaccounted) {
    run_.budget.distrust_books();
    books.reset();
    transfer.reset();
    share = 0;
  }
  if (!controller_.judge(error, std::max(phase_.share(error, h), lost ? 0 : share))) {
    run_.scale.restore(scale_before);
    trouble_ = share > 1 && controller_.small(error)
                   ? fmt::format("the energy changes by {:.3g} J, where {:.3g} J came or went",
                                 energy - before, transfer ? transfer->work : 0)
                   : fmt::format("the error estimate stays above the tolerance ({:.2g} there)", error);
    return Verdict::rejected;
  }
  if (lost)
    run_.budget.accept_loss(before, energy, transfer);
  else
    run_.budget.accept(before, energy, transfer);
  books_ = std::move(books);
  h_ = std::max(h_, h) * controller_.factor();
  accept(std::move(step), h, energy);
  if (jump) begin_books();
  return Verdict::accepted;
}

void ControlledStepper::accept(Step step, double h, double energy) {
  system().settle(step.state);
  run_.watch.accept(energy, brought_by(step));
  run_.energy = energy;
  if (past_.size() == most_past) past_.pop_back();
  past_.insert(past_.begin(), std::exchange(run_.state, std::move(step.state)));
  record_ = {h, std::exchange(rejected_, 0), at_limit_,      std::move(step.phi), std::move(step.middle),
             1, system().touch(run_.state),  step.projection};
}

std::vector<State> ControlledStepper::within(std::span<const double> times) {
  if (past_.empty()) throw InputError("states within a step are asked for before the first one");
  return within(past_.front(), record_.middle, run_.state, std::span(past_).subspan(1), times);
}

std::vector<State> ControlledStepper::within(const State& from, const std::optional<State>& middle,
                                             const State& to, std::span<const State> before,
                                             std::span<const double> times) {
  std::vector<const State*> earlier;
  for (const State& state : before) earlier.push_back(&state);
  if (!middle) return states_within(*method_, from, to, earlier, times);
  const std::size_t first =
      static_cast<std::size_t>(std::ranges::upper_bound(times, middle->time) - times.begin());
  std::vector<State> out = states_within(*method_, from, *middle, earlier, times.first(first));
  earlier.insert(earlier.begin(), &from);
  for (State& state : states_within(*method_, *middle, to, earlier, times.subspan(first)))
    out.push_back(std::move(state));
  return out;
}

void ControlledStepper::give_up(double h) const {
  throw BlowUp(
      fmt::format("the tolerance {:.3g} cannot be met at t = {:.6g} s: a step of {:.2g} s is still too "
                  "long. The last attempt said: {}. Try a looser tolerance or another integrator",
                  plan_.tolerance, run_.state.time, h, trouble_),
      run_.state);
}

}  // namespace stiffly
