// Runs an integrator over a span of time, watching for trouble.
#pragma once

#include <functional>

#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

struct Checkpoint;

struct SimulationOptions {
  double duration = 1;  ///< s
  double step = 0.01;   ///< s; the last step is shortened to end at the duration
  double tolerance =
      0;  ///< relative error to aim at; above 0, the steps are chosen for it and `step` is not looked at

  double checkpoint_every = 0;                             ///< s of simulated time; 0: never
  std::function<void(const Checkpoint&)> checkpoint = {};  ///< where they go
  const Checkpoint* resume = nullptr;                      ///< the run goes on from there, if given
};

/// How a simulation went so far.
struct SimulationSummary {
  long steps = 0;
  long rejected_steps = 0;
  double simulated_seconds = 0;
  double wall_seconds = 0;
  double initial_energy = 0;
  double final_energy = 0;
  double max_energy_drift = 0;  ///< max |H − H_0|, J
  Counters counters;
  PhiReport phi;  ///< sums over the run; basis_sizes of the last step only
  bool interrupted = false;
};

/// All that a run needs to go on, bit for bit as if it had not been interrupted: whoever resumes must use the
/// same system, integrator and options (only the duration may be longer). Checkpoints are part of a run:
/// methods forget at each what they learnt on the way, in the interrupted run as in the resumed one.
struct Checkpoint {
  State start;  ///< of the whole run
  State state;
  IntegratorMemory integrator;
  SimulationSummary summary;
  std::vector<double> control;  ///< of the choice of steps
  std::vector<double> watch;    ///< of the look-out for blow-ups
};

/// A simulation that failed. The message says when, where and what to try; `state` is the last good one.
class BlowUp : public SimulationError {
 public:
  BlowUp(const std::string& message, State last_good)
      : SimulationError(message), state(std::move(last_good)) {}
  State state;
};

/// Called after the start (step 0) and after every step. Returning false ends the run cleanly.
using Observer = std::function<bool(const State&, const SimulationSummary&)>;

/// Advances `state` in place, by constant steps or by steps chosen for a tolerance. Throws InputError for a
/// step, tolerance or duration that is not positive and finite, and BlowUp in the very step in which the
/// solution stops being finite or gains energy out of nothing; under a tolerance such a step is made again,
/// shorter, and BlowUp means that no step is short enough.
SimulationSummary simulate(const SecondOrderSystem& system, Integrator& integrator, State& state,
                           const SimulationOptions& options, const Observer& observer = {});

}  // namespace stiffly
