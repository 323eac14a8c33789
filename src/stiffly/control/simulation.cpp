#include "stiffly/control/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace stiffly {
namespace {

/// Looks for the step in which a simulation leaves the rails.
class Watch {
 public:
  Watch(const SecondOrderSystem& system, const State& start)
      : system_(system), closed_(system.autonomous()), initial_(system.energy(start)), potential_(system.potential_energy(start.time, start.x())) {}

  double initial_energy() const { return initial_; }

  /// Energy after a step. Throws BlowUp if the step from `before` to `after` was one.
  double check(const State& before, const State& after, double h) {
    const std::size_t bad = first_not_finite(after);
    if (bad < after.unknowns())
      throw BlowUp(message(before, h, fmt::format("{} is no longer finite", system_.describe(bad))), before);
    const double potential = system_.potential_energy(after.time, after.x());
    const double kinetic = system_.kinetic_energy(after.v());
    const double energy = kinetic + potential;
    if (scale_ == 0) scale_ = impulse(before, h);
    // A closed system cannot gain energy. Ten times all the motion seen so far is beyond any integration error
    // one would want to live with.
    if (closed_ && energy - initial_ > 10 * scale_)
      throw BlowUp(message(before, h, fmt::format("the energy rose by {:.3g} J, far beyond the {:.3g} J in motion; fastest is {}",
                                                  energy - initial_, scale_, system_.describe(fastest(after)))),
                   before);
    scale_ = std::max({scale_, kinetic + std::abs(potential - potential_), impulse(after, h)});
    return energy;
  }

 private:
  static std::size_t first_not_finite(const State& state) {
    if (std::isfinite(dot(state.y, state.y))) return state.unknowns();
    const std::vector<double> y = to_host(state.y);
    const auto it = std::find_if(y.begin(), y.end(), [](double value) { return !std::isfinite(value); });
    const auto index = it == y.end() ? std::max_element(y.begin(), y.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) - y.begin()
                                     : it - y.begin();
    return static_cast<std::size_t>(index) % state.unknowns();
  }

  static std::size_t fastest(const State& state) {
    const std::vector<double> v = to_host(state.v());
    return static_cast<std::size_t>(std::max_element(v.begin(), v.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) - v.begin());
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
    return fmt::format("the simulation blew up in the step from t = {:.6g} s to {:.6g} s: {}. Try a smaller step than {:.3g} s, "
                       "or an implicit integrator",
                       before.time, before.time + h, what, h);
  }

  const SecondOrderSystem& system_;
  bool closed_;
  double initial_, potential_;
  double scale_ = 0;
};

void check_positive(double value, const char* what) {
  if (!(std::isfinite(value) && value > 0))
    throw InputError(fmt::format("the {} must be positive and finite, not {}", what, value));
}

}  // namespace

SimulationSummary simulate(const SecondOrderSystem& system, Integrator& integrator, State& state,
                           const SimulationOptions& options, const Observer& observer) {
  check_positive(options.duration, "duration");
  check_positive(options.step, "step");
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const Counters counters_before = system.counters();
  const double start_time = state.time;
  const double end_time = start_time + options.duration;
  if (start_time + options.step == start_time)
    throw InputError(fmt::format("a step of {} s is lost in the round-off of t = {} s", options.step, start_time));

  Watch watch(system, state);
  SimulationSummary summary;
  summary.initial_energy = summary.final_energy = watch.initial_energy();
  const auto update = [&] {
    summary.simulated_seconds = state.time - start_time;
    summary.counters = system.counters() - counters_before;
    summary.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  };
  const auto notify = [&] {
    update();
    summary.interrupted = observer && !observer(state, summary);
    return !summary.interrupted;
  };

  integrator.start(system, state);
  const long count = std::max(1L, static_cast<long>(std::ceil(options.duration / options.step - 1e-9)));
  for (bool go_on = notify(); go_on && summary.steps < count; go_on = notify()) {
    // Times from the step number: rounding does not add up over millions of steps.
    const double next = summary.steps + 1 == count ? end_time : start_time + static_cast<double>(summary.steps + 1) * options.step;
    const double h = next - state.time;
    Step step = integrator.step(state, h, false);
    step.state.time = next;
    summary.final_energy = watch.check(state, step.state, h);
    state = std::move(step.state);
    ++summary.steps;
    summary.phi.basis_sizes.clear();
    summary.phi += step.phi;
    summary.max_energy_drift = std::max(summary.max_energy_drift, std::abs(summary.final_energy - summary.initial_energy));
  }
  update();
  return summary;
}

}  // namespace stiffly
