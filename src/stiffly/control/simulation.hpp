// Runs a stepper to its end, with observers and checkpoints.
#pragma once

#include <functional>

#include "stiffly/control/blow_up.hpp"
#include "stiffly/control/stepper.hpp"

namespace stiffly {

struct Checkpoint;

struct SimulationOptions {
  double duration = 1;  ///< as in StepPlan, the four of them
  double step = 0.01;
  double tolerance = 0;
  double stability_share = 1;

  double checkpoint_every = 0;                             ///< s of simulated time; 0: never
  std::function<void(const Checkpoint&)> checkpoint = {};  ///< where they go
  const Checkpoint* resume = nullptr;                      ///< the run goes on from there, if given

  StepPlan plan() const { return {duration, step, tolerance, stability_share}; }
};

/// How a simulation went so far.
struct SimulationSummary {
  long steps = 0;
  long rejected_steps = 0;
  double simulated_seconds = 0;
  double wall_seconds = 0;
  double initial_energy = 0;
  double final_energy = 0;
  double max_energy_drift = 0;        ///< max |H − H_0|, J
  double energy_given_up = 0;         ///< J, lost in steps that no shorter one could mend
  long steps_at_limit = 0;            ///< that were as long as the method is stable, where steps are chosen
  std::optional<Touch> contact = {};  ///< the deepest overlap and the most pairs at the end of any step
  std::optional<ProjectionReport> projection = {};  ///< of contact, where that is projected away
  std::optional<EnergyTotals> energy_totals = {};   ///< where the stepper keeps them (Stepper)
  Counters counters;
  PhiReport phi;  ///< sums over the run; basis_sizes of the last step only
  bool interrupted = false;
};

/// All that a run needs to go on, bit for bit as if it had not been interrupted: whoever resumes must use the
/// same system, method and options (only the duration may be longer). Checkpoints are part of a run: methods
/// forget at each what they learnt on the way, in the interrupted run as in the resumed one.
struct Checkpoint {
  State start;  ///< of the whole run
  State state;
  StepperMemory stepper;
  SimulationSummary summary;
};

/// Called after the start (step 0) and after every step. Returning false ends the run cleanly.
using Observer = std::function<bool(const State&, const SimulationSummary&)>;

/// Runs to the end. The stepper was made for the plan, and from `options.resume` where that is given; `start`
/// is that of the whole run. Throws what Stepper::advance does.
SimulationSummary simulate(Stepper& stepper, const State& start, const SimulationOptions& options,
                           const Observer& observer = {});

/// The same with one method; advances `state` in place, also where it throws.
SimulationSummary simulate(const SecondOrderSystem& system, Integrator& integrator, State& state,
                           const SimulationOptions& options, const Observer& observer = {});

}  // namespace stiffly
