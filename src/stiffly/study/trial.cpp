#include "stiffly/study/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiffly/text.hpp"

namespace stiffly {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

Trial summarize(const Trajectory& run, double setting, std::size_t moments, double reached_error) {
  const bool whole = run.failure.empty() && run.states.size() == moments;
  return {.setting = setting,
          .error = whole ? reached_error : infinite,
          .reached_error = reached_error,
          .seconds = run.seconds,
          .simulated_seconds = run.simulated_seconds,
          .steps = run.steps,
          .rejected_steps = run.rejected_steps,
          .max_energy_drift = run.max_energy_drift,
          .work = run.work,
          .failure = whole || !run.failure.empty() ? run.failure : "it ended before the last moment",
          .out_of_time = run.out_of_time};
}

Trial attempt(const Problem& problem, Candidate& candidate, double setting, double time_limit) {
  const Scene& scene = *problem.scene;
  const Trajectory run =
      candidate.run(scene.system(), scene.body.start, problem.moments, setting, time_limit);
  return summarize(run, setting, problem.moments.size(), problem.measure.error(run.states));
}

std::string describe(const Candidate& candidate, const Trial& trial) {
  const std::string why = first_clause(trial.failure);
  return fmt::format("{}: {} {:.4g}, error {:.2g}, {:.3g} s{}{}", candidate.name(),
                     candidate.knob() == Knob::step ? "step" : "tolerance", trial.setting, trial.error,
                     trial.seconds, why.empty() ? "" : ": ", why);
}

Trial fastest(int repeats, const std::function<Trial()>& run) {
  Trial best = run();
  for (int repeat = 1; repeat < repeats && best.failure.empty(); ++repeat)
    if (Trial now = run(); now.seconds < best.seconds) best = std::move(now);
  return best;
}

Trial measure_cost(const Scene& scene, double duration, Candidate& candidate, double setting,
                   double time_limit, int repeats) {
  const double moments[] = {scene.body.start.time + duration};
  return fastest(repeats, [&] {
    return summarize(candidate.run(scene.system(), scene.body.start, moments, setting, time_limit), setting,
                     1);
  });
}

std::vector<Trial> work_precision(const Problem& problem, Candidate& candidate,
                                  std::span<const double> settings, double time_limit) {
  std::vector<Trial> out;
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

}  // namespace stiffly
