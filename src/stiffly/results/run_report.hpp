// The files of a run's folder, as text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiffly/control/simulation.hpp"
#include "stiffly/results/balance.hpp"
#include "stiffly/results/error_norms.hpp"
#include "stiffly/results/error_search.hpp"
#include "stiffly/results/recorder.hpp"
#include "stiffly/warning.hpp"

namespace stiffly {

/// A method chosen on the way.
struct ChoiceRecord {
  double time = 0;
  std::string integrator, reason;
};

enum class RunStatus {
  done,         ///< to the end of its duration
  interrupted,  ///< ended early because the observer asked for it
  failed,       ///< the computation could not go on: `error` says why
};
std::string name_of(RunStatus status);

/// How a run went: all that run.json says.
struct RunReport {
  std::string scene;           ///< name
  std::string kind;            ///< of its model
  std::string resolved_scene;  ///< a JSON object
  RunStatus status = RunStatus::done;
  std::string error;  ///< of a failed run
  std::string integrator;
  std::vector<ChoiceRecord> choices = {};  ///< of the integrator "auto"
  std::string evaluator;                   ///< empty for methods that use none
  std::string reformulation;
  double step = 0;                               ///< of constant steps …
  double tolerance = 0;                          ///< … or what they were chosen for
  std::optional<ErrorSearch> error_search = {};  ///< of a run to an error bound
  std::size_t unknowns = 0;
  std::size_t particles = 0;  ///< 0 where the unknowns are not those of particles
  std::size_t springs = 0;
  double frame_rate = 0;  ///< of frames.h5, per second; 0: there is none
  long frames = 0;        ///< how many it has
  SimulationSummary summary;
  EnergyBalance balance = {};
  MomentumBalance momentum = {};
  std::optional<PlasticWork> plastic = {};  ///< at the end, where things can yield
  double max_kinetic_energy = 0;            ///< J; not in run.json
  bool steered = false;                     ///< somebody pulled at it on the way
  bool resumable = false;                   ///< the folder has a checkpoint; not in run.json
  std::int64_t peak_memory_bytes = 0;
  Warnings warnings = {};  ///< of the scene first, then of the run

  /// J, by which errors of the energy are judged: the most that was in motion, or what dampers and
  /// yielding took, where that is more. In a viscous fluid hardly anything is ever in motion.
  double energy_scale() const;
};

/// Norm of the errors of runs to a bound.
inline constexpr Norm bounded_norm = Norm::displacement;

/// run.json: one JSON object. Numbers that are not finite become null.
std::string run_json(const RunReport& report);

/// final.csv: particle,x,y,z,vx,vy,vz with 17 digits, enough to give every number back exactly.
std::string state_csv(std::span<const std::array<double, 3>> positions,
                      std::span<const std::array<double, 3>> velocities);

/// energy.csv: t,kinetic,potential,total,weight,supports,fields,dissipated,error,px,py,pz,lx,ly,lz; J, and
/// the momentum of free particles, angular about their centre of mass
std::string energy_csv(std::span<const EnergySample> samples);

/// counters.csv: t,steps,rejected,force,product,tangent,factorization,solve,inner, all since the start
std::string counters_csv(std::span<const WorkSample> samples);

}  // namespace stiffly
