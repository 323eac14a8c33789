// checkpoint.h5: a run that can be taken up again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stiffly/control/simulation.hpp"
#include "stiffly/results/recorder.hpp"

namespace stiffly {

struct SavedRun {
  Checkpoint checkpoint;
  std::string scene;           ///< all its settings, as run.json has them
  std::vector<double> record;  ///< of the recorder
};

/// Either the old file or the new one is there at any time.
void write_checkpoint(const std::filesystem::path& path, const SavedRun& run);
/// Throws FileError where there is none, and InputError where it is damaged or of another version of its
/// format.
SavedRun read_checkpoint(const std::filesystem::path& path);

}  // namespace stiffly
