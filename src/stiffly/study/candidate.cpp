#include "stiffly/study/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>

#include "stiffly/control/automatic_stepper.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/control/sampler.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/study/study_clock.hpp"
#include "stiffly/text.hpp"

namespace stiffly::study {
namespace {

class IntegratorCandidate final : public Candidate {
 public:
  using Make =
      std::function<std::unique_ptr<Stepper>(const SecondOrderSystem&, const State& start, const StepPlan&)>;
  IntegratorCandidate(std::string name, Make make, Knob knob)
      : name_(std::move(name)), make_(std::move(make)), knob_(knob) {}

  const std::string& name() const override { return name_; }
  Knob knob() const override { return knob_; }

  Trajectory run(const SecondOrderSystem& system, const State& start, std::span<const double> moments,
                 double setting, double time_limit) override {
    Trajectory out;
    Stopwatch watch = study_watch();
    const double before = processor_seconds();
    try {
      simulate_through(system, start, moments, setting, time_limit, out, watch);
    } catch (const Error& error) {
      out.failure = error.what();
    } catch (const std::bad_alloc&) {
      out.failure = "out of memory";
    }
    out.seconds = watch.seconds();
    out.processor_seconds = processor_seconds() - before;
    return out;
  }

 private:
  void simulate_through(const SecondOrderSystem& system, const State& start, std::span<const double> moments,
                        double setting, double time_limit, Trajectory& out, Stopwatch& watch) {
    if (moments.empty() || !(moments.front() > start.time) || !std::ranges::is_sorted(moments))
      throw InputError(
          "the times at which states are asked for must increase and lie after the start of the run");
    const bool by_step = knob_ == Knob::step;
    SimulationOptions simulation{.duration = moments.back() - start.time};
    (by_step ? simulation.step : simulation.tolerance) = setting;
    if (!by_step && !(setting > 0))
      throw InputError(fmt::format("the tolerance must be positive, not {}", setting));
    const StepPlan plan = simulation.plan();
    std::unique_ptr<Stepper> stepper;
    const double initial_energy = system.energy(start);
    Sampler sampler(SampleTimes::at(start.time, moments), [&](const State& state) {
      out.max_energy_drift = std::max(out.max_energy_drift, std::abs(system.energy(state) - initial_energy));
      out.states.push_back(state);
    });

    // What keeping states costs is neither in the counts nor in the time.
    const Counters before = system.counters();
    Counters kept;
    const TimeLimit limit(system.counters(), time_limit, [&] { return watch.seconds(); });
    const auto observe = [&](const State& now, const SimulationSummary& summary) {
      watch.outside([&] {
        const Counters counters = system.counters();
        out.work = counters - before - kept;
        out.steps = summary.steps;
        out.rejected_steps = summary.rejected_steps;
        out.simulated_seconds = summary.simulated_seconds;
        sampler.see(now, [&](std::span<const double> times) { return stepper->within(times); });
        kept = kept + (system.counters() - counters);
      });
      return watch.seconds() < time_limit;
    };
    try {
      stepper = make_(system, start, plan);
      simulate(*stepper, start, simulation, observe);
    } catch (const OutOfTime&) {  // in the middle of a step
      out.work = system.counters() - before - kept;
    }
    if (stepper) out.decisions.assign(stepper->decisions().begin(), stepper->decisions().end());
    if (out.states.size() == moments.size()) return;
    out.out_of_time = true;
    out.failure = fmt::format("out of time: {:.3g} s of computing for the first {:.3g} s of {:.3g} s",
                              watch.seconds(), out.simulated_seconds, simulation.duration);
  }

  std::string name_;
  Make make_;
  Knob knob_;
};

}  // namespace

std::unique_ptr<Candidate> make_candidate(const std::string& integrator, Knob knob,
                                          const IntegratorOptions& options) {
  const MethodInfo& method = find_method(integrator);
  return std::make_unique<IntegratorCandidate>(
      integrator,
      [&method, options](const SecondOrderSystem& system, const State& start, const StepPlan& plan) {
        return method.make(system, start, plan, options, nullptr);
      },
      knob);
}

std::unique_ptr<Candidate> make_candidate(IntegratorInfo integrator, Knob knob,
                                          const IntegratorOptions& options) {
  return std::make_unique<IntegratorCandidate>(
      integrator.name,
      [integrator, options](const SecondOrderSystem& system, const State& start, const StepPlan& plan) {
        return make_stepper(std::shared_ptr(make_integrator(integrator, plan, options)), system, start, plan);
      },
      knob);
}

}  // namespace stiffly::study
