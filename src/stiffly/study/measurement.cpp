#include "stiffly/study/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/limits.hpp"
#include "stiffly/text.hpp"

namespace stiffly::study {

Measurement summarize(const Trajectory& run, double setting, std::size_t moments, double reached_error) {
  const bool whole = run.failure.empty() && run.states.size() == moments;
  return {
      .setting = setting,
      .error = whole ? reached_error : infinite,
      .reached_error = reached_error,
      .seconds = run.seconds,
      .processor_seconds = run.processor_seconds,
      .simulated_seconds = run.simulated_seconds,
      .steps = run.steps,
      .rejected_steps = run.rejected_steps,
      .max_energy_drift = run.max_energy_drift,
      .work = run.work,
      .failure = whole || !run.failure.empty() ? run.failure : "the run ended before the last time asked for",
      .out_of_time = run.out_of_time};
}

Measurement attempt(const Problem& problem, Candidate& candidate, double setting, double time_limit) {
  const Scene& scene = *problem.scene;
  const Trajectory run =
      candidate.run(scene.system(), scene.body.start, problem.moments, setting, time_limit);
  return summarize(run, setting, problem.moments.size(), problem.measure.error(run.states));
}

std::string describe(const Candidate& candidate, const Measurement& trial) {
  const std::string why = first_clause(trial.failure);
  return fmt::format("{}: {} {:.4g}, error {:.2g}, {:.3g} s{}{}", candidate.name(),
                     candidate.knob() == Knob::step ? "step" : "tolerance", trial.setting, trial.error,
                     trial.seconds, why.empty() ? "" : ": ", why);
}

Measurement fastest(int repeats, const std::function<Measurement()>& run) {
  Measurement best = run();
  for (int repeat = 1; repeat < repeats && best.failure.empty(); ++repeat)
    if (Measurement now = run(); now.seconds < best.seconds) best = std::move(now);
  return best;
}

Measurement measure_cost(const Scene& scene, double duration, Candidate& candidate, double setting,
                         double time_limit, int repeats) {
  const double moments[] = {scene.body.start.time + duration};
  return fastest(repeats, [&] {
    return summarize(candidate.run(scene.system(), scene.body.start, moments, setting, time_limit), setting,
                     1);
  });
}

std::vector<Measurement> work_precision(const Problem& problem, Candidate& candidate,
                                        std::span<const double> settings, double time_limit) {
  std::vector<Measurement> out;
  for (const double setting : settings) {
    out.push_back(attempt(problem, candidate, setting, time_limit));
    if (out.back().out_of_time) break;
  }
  return out;
}

std::vector<double> ladder(double coarsest, double finest, int count) {
  std::vector<double> out;
  for (int k = 0; k < count; ++k)
    out.push_back(coarsest * std::pow(finest / coarsest, count > 1 ? k / (count - 1.0) : 0));
  return out;
}

}  // namespace stiffly::study
