#include "stiffly/results/scene_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/control/methods.hpp"
#include "stiffly/control/piecewise_stepper.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/fibre_stepper.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/results/recorder.hpp"

namespace stiffly {
namespace {

constexpr double memory_share = 0.9;  ///< of the machine's

/// What a run takes of memory: what it has by now, its stepper, the states kept for pictures and those on
/// their way to a file. A checkpoint is there as numbers and, with the pictures', as the bytes of its file.
void check_memory(const Scene& scene, const SimulationOptions& options, const StepperBytes& stepper,
                  const std::string& what, const TellMemory& tell) {
  const double state = sizeof(double) * static_cast<double>(scene.body.start.y.size());
  const auto pictures = static_cast<double>(Recorder::snapshot_times(0, options.duration).size());
  double needed = static_cast<double>(resident_memory_bytes()) + stepper.all + (pictures + 2) * state;
  if (options.checkpoint) needed += 2 * stepper.saved + (2 * pictures + 4) * state;
  if (tell) tell(needed);
  if (needed > memory_share * memory_bytes())
    throw InputError(fmt::format("{} need about {:.1f} GiB, and the machine has {:.1f}: take fewer", what,
                                 needed / 0x1p30, memory_bytes() / 0x1p30));
}

std::unique_ptr<Stepper> batches(const Scene& scene, const SimulationSettings& settings,
                                 const SimulationOptions& options, const Meetings& meetings,
                                 const TellMemory& tell) {
  const bool chosen = settings.integrator == "auto";
  const ExponentialTableau* exponential =
      FibreStepper::exponential(settings.integrator, options.plan(), settings.options);
  const auto* system = dynamic_cast<const ParticleSystem*>(&scene.system());
  if (!system || scene.body.strands.size() < 2 || settings.pieces == "joint" ||
      !(chosen || exponential || settings.integrator == "energy-momentum") ||
      (exponential && scene.body.touches) || (scene.body.touches && !scene.body.fibre_contact))
    return nullptr;
  std::string why_not;
  std::optional<SystemFibres> fibres = SystemFibres::find(*system, scene.body.strands, why_not);
  if (!fibres || (exponential && fibres->has_obstacles())) return nullptr;
  check_memory(scene, options, FibreStepper::memory(*fibres, scene.body.touches, exponential),
               fmt::format("{} fibres of {} unknowns", fibres->size(), system->unknowns()), tell);
  const State& start = scene.body.start;
  return std::make_unique<FibreStepper>(*system, std::move(*fibres), start, options.plan(),
                                        meeting_times(options.plan(), start.time, meetings.samples),
                                        settings.options, options.resume,
                                        chosen ? "energy-momentum, in batches: fibres that turn far take its "
                                                 "longest steps"
                                               : "",
                                        scene.body.fibre_contact, exponential);
}

}  // namespace

std::vector<double> meeting_times(const StepPlan& plan, double start, std::span<const double> samples) {
  const double end = start + plan.duration;
  std::vector<double> out;
  const auto add = [&](double time) {
    const double slack = 1e-9 * (plan.tolerance > 0 ? plan.duration : plan.step);
    if (time > (out.empty() ? start : out.back()) + slack && time < end - slack) out.push_back(time);
  };
  for (const double time : samples) {
    if (time > end - 1e-9 * plan.duration) break;
    if (plan.tolerance > 0) {
      add(time);
      continue;
    }
    const double steps = (time - start) / plan.step, before = std::floor(steps * (1 + 1e-12) + 1e-9);
    add(start + before * plan.step);
    if (steps - before > 1e-6) add(start + (before + 1) * plan.step);
  }
  out.push_back(end);
  return out;
}

std::unique_ptr<Stepper> make_stepper(const Scene& scene, const SimulationSettings& settings,
                                      const SimulationOptions& options, const Meetings& meetings,
                                      Warnings& warnings, const WatchPiece& watch, const TellMemory& tell) {
  if (std::unique_ptr<Stepper> fibres = batches(scene, settings, options, meetings, tell)) return fibres;
  const State& start = scene.body.start;
  std::vector<Piece> pieces;
  if (scene.in_pieces()) {
    check_memory(scene, options, PiecewiseStepper::memory(scene.system(), settings.integrator),
                 fmt::format("pieces of {} unknowns", scene.system().unknowns()), tell);
    std::string why_not;
    pieces = scene.pieces(why_not);
    if (!why_not.empty())
      warnings.push_back({"not-apart", why_not + ", so that all steps are those of the worst of them"});
  }
  if (pieces.empty())
    return make_stepper(settings.integrator, scene.system(), start, options.plan(), settings.options,
                        options.resume);
  if (watch)
    for (const Piece& piece : pieces) watch(*piece.system);
  return std::make_unique<PiecewiseStepper>(scene.system(), std::move(pieces), settings.integrator, start,
                                            options.plan(), meetings.every, settings.options, options.resume);
}

}  // namespace stiffly
