// One run of one candidate, judged.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "stiffly/results/error_norms.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/study/candidate.hpp"

namespace stiffly::study {

/// A scene, the moments at which it is looked at, and what is right there. The scene must outlive it.
struct Problem {
  const Scene* scene;
  std::vector<double> moments;
  ErrorMeasure measure;

  double duration() const { return moments.back() - scene->body.start.time; }
};

/// What is left of a run when its states are gone.
struct Measurement {
  double setting = 0;  ///< step in s, or relative tolerance
  double error = 0;    ///< in the problem's norm; infinite for a run that failed, NaN without a reference
  double reached_error = 0;  ///< over the moments that it reached
  double seconds = 0, processor_seconds = 0;
  double simulated_seconds = 0;
  long steps = 0, rejected_steps = 0;
  double max_energy_drift = 0;
  Counters work;
  std::string failure;
  bool out_of_time = false;

  double seconds_per_simulated() const { return seconds / simulated_seconds; }
};

/// `reached_error` is the error over the moments there are; `moments` is how many there should be.
Measurement summarize(const Trajectory& run, double setting, std::size_t moments,
                      double reached_error = std::numeric_limits<double>::quiet_NaN());

Measurement attempt(const Problem& problem, Candidate& candidate, double setting, double time_limit);

/// "NAME: step 0.01, error 0.003, 0.12 s": a line of progress.
std::string describe(const Candidate& candidate, const Measurement& trial);

/// The fastest of so many runs, one at least; the first that fails ends them.
Measurement fastest(int repeats, const std::function<Measurement()>& run);

/// The cost alone, where nothing is known to be right. Of `repeats` runs the fastest.
Measurement measure_cost(const Scene& scene, double duration, Candidate& candidate, double setting,
                         double time_limit, int repeats = 1);

/// Work–precision: the candidate at every setting, the coarsest first. The ladder ends early after a run that
/// was out of time: finer ones would be too.
std::vector<Measurement> work_precision(const Problem& problem, Candidate& candidate,
                                        std::span<const double> settings, double time_limit);

/// From `coarsest` down by equal factors, the finest included.
std::vector<double> ladder(double coarsest, double finest, int count);

}  // namespace stiffly::study
