// Somebody who looks on while `run` simulates a scene.
#pragma once

#include <functional>
#include <memory>

#include "commands.hpp"
#include "stiffly/results/scene_run.hpp"

namespace stiffly::app {

class Onlooker {
 public:
  virtual ~Onlooker() = default;
  /// The run, which is about to begin.
  virtual void begin(const SceneRun& run) = 0;
  /// After every step; may wait. False where `wanted` says so.
  virtual bool step(const State& state, const SimulationSummary& summary,
                    const std::function<bool()>& wanted) = 0;
  virtual void frame(const State& state) = 0;
  /// Whether what the run does depended on whoever looked on.
  virtual bool steered() const = 0;
  virtual void end(const RunReport& report) = 0;
  /// Returns when nobody looks any longer.
  virtual void wait() = 0;
};

/// Before the run; may add to the scene. `paused`: the run waits at its start.
using MakeOnlooker = std::unique_ptr<Onlooker> (*)(Scene& scene, bool paused);

/// The command `run`; `--view` is for programs that give an onlooker.
void add_run(CLI::App& program, Action& action, MakeOnlooker onlooker);

}  // namespace stiffly::app
