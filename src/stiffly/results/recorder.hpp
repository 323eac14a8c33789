// What is kept of a run for its results: energies and work at many times, whole states at a few.
#pragma once

#include <span>
#include <vector>

#include "stiffly/control/simulation.hpp"

namespace stiffly {

struct EnergySample {
  double time = 0, kinetic = 0, potential = 0, total = 0;
};

/// The work from the start up to a time.
struct WorkSample {
  double time = 0;
  long steps = 0, rejected_steps = 0;
  Counters counters;
};

struct RecorderOptions {
  double start_time = 0;
  double duration = 1;
  double records = 0;  ///< per simulated second, at most one per step; 0: a thousand over the duration
  int moments = 6;     ///< states kept, evenly over the duration
};

/// Called after every step, like an Observer.
class Recorder {
 public:
  Recorder(const SecondOrderSystem& system, const RecorderOptions& options);
  void record(const State& state, const SimulationSummary& summary);
  /// Adds the last state if the run ended between two records.
  void finish(const State& state, const SimulationSummary& summary);

  /// Everything recorded so far as a row of numbers, for a run that is taken up again.
  std::vector<double> save() const;
  /// Throws InputError if these are not the numbers of such a recorder.
  void restore(std::span<const double> numbers);

  const std::vector<EnergySample>& energies() const { return energies_; }
  /// At the times of the energies.
  const std::vector<WorkSample>& work() const { return work_; }
  /// States at t_0, t_0 + T/(n−1), …, t_0 + T, within steps by interpolation.
  const std::vector<State>& moments() const { return moments_; }
  /// Of small systems every recorded state; empty for others.
  const std::vector<State>& history() const { return history_; }

 private:
  void add(const State& state, const SimulationSummary& summary);

  const SecondOrderSystem& system_;
  RecorderOptions options_;
  double interval_;
  long next_ = 0;  ///< number of the record that is due
  int next_moment_ = 0;
  State before_;
  std::vector<EnergySample> energies_;
  std::vector<WorkSample> work_;
  std::vector<State> moments_, history_;
};

}  // namespace stiffly
