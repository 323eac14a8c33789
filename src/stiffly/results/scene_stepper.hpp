// What takes a scene through time.
#pragma once

#include <functional>
#include <memory>

#include "stiffly/control/simulation.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {

/// When states of the whole scene are wanted.
struct Meetings {
  double every = 0;                  ///< s: of pieces
  std::vector<double> samples = {};  ///< rising: of fibres in batches
};

/// Called with the system of every piece before it moves.
using WatchPiece = std::function<void(const SecondOrderSystem&)>;

/// Called with about how many bytes the whole run will take at most, before any of its steppers is made.
using TellMemory = std::function<void(double bytes)>;

/// Fibres in batches where the scene has nothing else and the method is energy-momentum, or is to be chosen,
/// or an exponential one that batches know (FibreStepper::exponential) and nothing is in their way;
/// independent pieces each by themselves, where the scene says so or has fibres; or all as one. Throws
/// InputError where they do not fit into the machine's memory, before anything is taken apart. What the user
/// should know of the choice is added to `warnings`.
std::unique_ptr<Stepper> make_stepper(const Scene& scene, const SimulationSettings& settings,
                                      const SimulationOptions& options, const Meetings& meetings,
                                      Warnings& warnings, const WatchPiece& watch = {},
                                      const TellMemory& tell = {});

/// When fibres meet: at the samples, or, where steps are given and samples are within them, at the ends of
/// those steps. The last one is the end.
std::vector<double> meeting_times(const StepPlan& plan, double start, std::span<const double> samples);

}  // namespace stiffly
