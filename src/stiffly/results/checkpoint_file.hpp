// checkpoint.bin: a run that can be taken up again.
#pragma once

#include <filesystem>
#include <string>

#include "stiffly/control/simulation.hpp"
#include "stiffly/results/recorder.hpp"
#include "stiffly/scene/scene_file.hpp"

namespace stiffly {

/// The first line of the file.
constexpr const char* checkpoint_format = "stiffly checkpoint 13";

struct SavedRun {
  Checkpoint checkpoint;
  std::string scene;                      ///< all its settings, as run.json has them
  Record record;                          ///< up to the checkpoint's state
  SceneSource source;                     ///< what the scene was loaded from
  bool vtu = false;                       ///< frames for ParaView were asked for
  std::vector<double> contact_time = {};  ///< of obstacles, up to there; empty where it was not counted
};

/// The same, to be written: of millions of unknowns, a copy is some hundred megabytes.
struct RunToSave {
  const Checkpoint& checkpoint;
  const std::string& scene;
  const Record& record;
  const SceneSource& source;
  bool vtu = false;
  std::vector<double> contact_time = {};
};

/// Either the old file or the new one is there at any time.
void write_checkpoint(const std::filesystem::path& path, const RunToSave& run);

/// The checkpoint of a run with these settings from this start, of a system with so many dissipators, and so
/// many points on the surfaces of obstacles. Every array is looked at before it is used: its size, that it is
/// finite, and that it is in the range a run would have saved. The memory of the integrator only it can judge
/// (Integrator::restore).
///
/// Throws FileError where there is no such file, and InputError naming the file and the array where it is
/// damaged, of another version of its format, or of other settings (the first that differs is named). Where
/// the scene's file lies is no setting.
SavedRun read_checkpoint(const std::filesystem::path& path, const std::string& scene, const State& start,
                         std::size_t dissipators, std::size_t obstacle_points = 0);

/// What is asked for when a run is taken up without being told what it was.
struct SavedRequest {
  SceneSource source;
  bool vtu = false;
};
/// Throws as above, and InputError where the scene was made by a program and not loaded.
SavedRequest read_request(const std::filesystem::path& path);

}  // namespace stiffly
