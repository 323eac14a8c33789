#include "stiffly/control/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/control/stability_limit.hpp"
#include "stiffly/control/step_controller.hpp"
#include "stiffly/stopwatch.hpp"

namespace stiffly {
namespace {

/// Looks for the step in which a simulation leaves the rails.
class Watch {
 public:
  Watch(const SecondOrderSystem& system, const State& start, double roundoff)
      : system_(system),
        closed_(system.passive()),
        initial_(system.energy(start)),
        potential_(system.potential_energy(start.time, start.x())),
        roundoff_(roundoff) {}

  double initial_energy() const { return initial_; }
  std::vector<double> save() const { return {scale_}; }
  void restore(std::span<const double> memory) { scale_ = memory[0]; }

  /// Energy after a step. Throws BlowUp if the step from `before` to `after` was one.
  double check(const State& before, const State& after, double h) {
    const std::size_t bad = first_not_finite(after);
    if (bad < after.unknowns())
      throw BlowUp(message(before, h, fmt::format("{} is no longer finite", system_.describe(bad))), before);
    const double energy = system_.energy(after);
    if (scale_ == 0) scale_ = impulse(before, h);
    // A closed system cannot gain energy. Three times all there was in motion is beyond any integration error
    // one would want to live with.
    const double scale = std::max(scale_, motion(after, energy));
    if (closed_ && energy - initial_ > 3 * scale + roundoff_)
      throw BlowUp(
          message(before, h,
                  fmt::format("the energy rose by {:.3g} J, far beyond the {:.3g} J in motion; fastest is {}",
                              energy - initial_, scale, system_.describe(fastest(after)))),
          before);
    return energy;
  }

  /// Of a step that is taken.
  void see(const State& after, double energy) { scale_ = std::max(scale_, motion(after, energy)); }

 private:
  static std::size_t first_not_finite(const State& state) {
    if (std::isfinite(dot(state.y, state.y))) return state.unknowns();
    const std::vector<double> y = to_host(state.y);
    const auto it = std::find_if(y.begin(), y.end(), [](double value) { return !std::isfinite(value); });
    const auto index = it == y.end()
                           ? std::max_element(y.begin(), y.end(),
                                              [](double a, double b) { return std::abs(a) < std::abs(b); }) -
                                 y.begin()
                           : it - y.begin();
    return static_cast<std::size_t>(index) % state.unknowns();
  }

  static std::size_t fastest(const State& state) {
    const std::vector<double> v = to_host(state.v());
    return static_cast<std::size_t>(
        std::max_element(v.begin(), v.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) -
        v.begin());
  }

  /// Energy that is in motion or has been moved from one form to another, less what came out of nothing.
  double motion(const State& state, double energy) const {
    const double kinetic = system_.kinetic_energy(state.v());
    return kinetic + std::abs(energy - kinetic - potential_) - 2 * std::max(0.0, energy - initial_);
  }

  /// ½h²‖M⁻¹f‖²_M: the kinetic energy the present forces give within a step.
  double impulse(const State& state, double h) const {
    Vector f(state.unknowns()), a(state.unknowns());
    const Counters before = system_.counters();  // watching is not part of the method's work
    system_.force(state.time, state.x(), state.v(), f);
    system_.counters() = before;
    system_.mass().solve(f, a);
    return 0.5 * h * h * dot(f, a);
  }

  static std::string message(const State& before, double h, const std::string& what) {
    return fmt::format(
        "the simulation blew up in the step from t = {:.6g} s to {:.6g} s: {}. Try a smaller step than "
        "{:.3g} s, "
        "or an implicit integrator",
        before.time, before.time + h, what, h);
  }

  const SecondOrderSystem& system_;
  bool closed_;
  double initial_, potential_, roundoff_;
  double scale_ = 0;
};

void check_positive(double value, const char* what) {
  if (!(std::isfinite(value) && value > 0))
    throw InputError(fmt::format("the {} must be positive and finite, not {}", what, value));
}

/// A simulation under way.
class Run {
 public:
  Run(const SecondOrderSystem& system, Integrator& integrator, State& state, const SimulationOptions& options,
      const Observer& observer)
      : system_(system),
        integrator_(integrator),
        state_(state),
        options_(options),
        observer_(observer),
        start_(options.resume ? options.resume->start : state),
        end_time_(start_.time + options.duration),
        scale_(system, start_),
        watch_(system, start_, scale_.energy_roundoff()),
        method_(integrator.traits().name),
        controller_(integrator.traits(), options.tolerance),
        limit_(system, integrator.traits()) {
    if (const Checkpoint* from = options.resume) {
      state_ = from->state;
      summary_ = earlier_ = from->summary;
      watch_.restore(from->watch);
    } else {
      summary_.initial_energy = summary_.final_energy = watch_.initial_energy();
    }
    counters_before_ = system.counters();
    integrator.start(system, state_);
    if (options.resume) {
      integrator.restore(options.resume->integrator);
      follow_method();
    }
    next_checkpoint_ = checkpoint_after(state_.time);
  }

  SimulationSummary fixed_steps() {
    const long count = std::max(1L, static_cast<long>(std::ceil(options_.duration / options_.step - 1e-9)));
    for (bool go_on = notify(); go_on && summary_.steps < count; go_on = notify()) {
      // Times from the step number: rounding does not add up over millions of steps. All steps but a shorter
      // last one have exactly the given length: methods keep what they have computed for it.
      const bool last = summary_.steps + 1 == count;
      const double next =
          last ? end_time_ : start_.time + static_cast<double>(summary_.steps + 1) * options_.step;
      const double left = end_time_ - state_.time;
      const double h = last && left < (1 - 1e-9) * options_.step ? left : options_.step;
      Step step = integrator_.step(state_, h, false);
      step.state.time = next;
      const double energy = watch_.check(state_, step.state, h);
      accept(std::move(step), energy);
    }
    return finish();
  }

  SimulationSummary controlled_steps() {
    if (options_.resume)
      restore_control(options_.resume->control);
    else
      h_ = scale_.first_step(options_.tolerance, options_.duration);
    for (bool go_on = notify(); go_on && state_.time < end_time_; go_on = notify()) {
      for (;;) {
        const double left = end_time_ - state_.time;
        h_ = integrator_.preferred_step(state_, h_);
        follow_method();
        h_ = std::min(h_, limit_.longest_step(state_));
        const double used = fitted_step(h_, left);
        if (!(used > shortest_step())) give_up(used);
        if (try_step(used, used == left)) break;
        ++summary_.rejected_steps;
        h_ = used * controller_.factor();
      }
    }
    return finish();
  }

 private:
  bool try_step(double h, bool last) {
    Step step;
    double energy = 0;
    try {
      step = step_with_error(integrator_, state_, h);
      if (last) step.state.time = end_time_;
      energy = watch_.check(state_, step.state, h);
    } catch (const SimulationError& error) {
      trouble_ = error.what();
      controller_.fail();
      return false;
    }
    follow_method();
    const std::vector<double> scale_before = scale_.save();
    scale_.see(step.state);
    const double error = scale_.relative(*step.error);
    const double gain = scale_.energy_gain(summary_.final_energy, energy);
    if (!controller_.judge(error, gain)) {
      scale_.restore(scale_before);
      trouble_ = fmt::format(
          "the error estimate stays above the tolerance ({:.2g} there){}", error,
          gain > 0 ? fmt::format(", and {:.2g} of the energy in motion comes out of nothing", gain) : "");
      return false;
    }
    h_ = std::max(h_, h) * controller_.factor();
    accept(std::move(step), energy);
    return true;
  }

  /// An automatic integrator may have changed its mind.
  void follow_method() {
    if (integrator_.traits().name == method_) return;
    method_ = integrator_.traits().name;
    controller_ = StepController(integrator_.traits(), options_.tolerance);
    limit_ = StabilityLimit(system_, integrator_.traits());
  }

  double shortest_step() const { return std::max(1e-14 * std::abs(state_.time), 1e-13 * options_.duration); }

  [[noreturn]] void give_up(double h) const {
    throw BlowUp(fmt::format("the tolerance {:.3g} cannot be met at t = {:.6g} s: a step of {:.2g} s is "
                             "still too long. The last attempt said: {}. "
                             "Try a looser tolerance or another integrator",
                             options_.tolerance, state_.time, h, trouble_),
                 state_);
  }

  void accept(Step step, double energy) {
    watch_.see(step.state, energy);
    summary_.final_energy = energy;
    state_ = std::move(step.state);
    ++summary_.steps;
    summary_.phi.basis_sizes.clear();
    summary_.phi += step.phi;
    summary_.max_energy_drift =
        std::max(summary_.max_energy_drift, std::abs(energy - summary_.initial_energy));
    if (options_.checkpoint && options_.checkpoint_every > 0 && state_.time >= next_checkpoint_ &&
        state_.time < end_time_)
      save();
  }

  double checkpoint_after(double time) const {
    return start_.time + options_.checkpoint_every *
                             (std::floor((time - start_.time) / options_.checkpoint_every * (1 + 1e-12)) + 1);
  }

  void save() {
    update();
    Checkpoint now{start_, state_, integrator_.save(), summary_, {h_}, watch_.save()};
    for (const auto& part : {scale_.save(), controller_.save()})
      now.control.insert(now.control.end(), part.begin(), part.end());
    options_.checkpoint(now);
    limit_.forget();
    next_checkpoint_ = checkpoint_after(state_.time);
  }

  void restore_control(std::span<const double> memory) {
    h_ = memory[0];
    scale_.restore(memory.subspan(1, 2));
    controller_.restore(memory.subspan(3, 2));
  }

  void update() {
    summary_.simulated_seconds = state_.time - start_.time;
    summary_.counters = earlier_.counters + (system_.counters() - counters_before_);
    summary_.wall_seconds = earlier_.wall_seconds + clock_.seconds();
  }

  bool notify() {
    update();
    summary_.interrupted = observer_ && !observer_(state_, summary_);
    return !summary_.interrupted;
  }

  SimulationSummary finish() {
    update();
    return std::move(summary_);
  }

  const Stopwatch clock_;
  const SecondOrderSystem& system_;
  Integrator& integrator_;
  State& state_;
  const SimulationOptions& options_;
  const Observer& observer_;
  State start_;
  double end_time_;
  MotionScale scale_;
  Watch watch_;
  std::string method_;  ///< for which the controller is made
  StepController controller_;
  StabilityLimit limit_;
  double h_ = 0;  ///< the next step, where steps are chosen
  double next_checkpoint_ = 0;
  Counters counters_before_;
  SimulationSummary summary_, earlier_;  ///< of the whole run, and of it before it was resumed
  std::string trouble_ = "nothing";
};

}  // namespace

SimulationSummary simulate(const SecondOrderSystem& system, Integrator& integrator, State& state,
                           const SimulationOptions& options, const Observer& observer) {
  check_positive(options.duration, "duration");
  if (options.tolerance != 0) {
    check_positive(options.tolerance, "tolerance");
    return Run(system, integrator, state, options, observer).controlled_steps();
  }
  check_positive(options.step, "step");
  if (state.time + options.step == state.time)
    throw InputError(
        fmt::format("a step of {} s is lost in the round-off of t = {} s", options.step, state.time));
  return Run(system, integrator, state, options, observer).fixed_steps();
}

}  // namespace stiffly
