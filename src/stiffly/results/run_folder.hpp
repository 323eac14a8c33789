// The folder that a run leaves its results in.
#pragma once

#include <filesystem>

#include "stiffly/results/recorder.hpp"
#include "stiffly/results/run_report.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {

/// Names of the files, and the order in which they come and go. Every file is whole whenever it is there.
/// All throw FileError.
class RunFolder {
 public:
  /// A folder that may not be there yet. Nothing is done.
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoint() const { return path_ / "checkpoint.bin"; }
  std::filesystem::path frames() const { return path_ / "frames.h5"; }

  /// Makes the folder if need be and removes the results of an earlier run, run.json first: they must not
  /// pass for those of the new one, however it ends. A run that goes on in the same folder keeps the frames
  /// and the checkpoint, which is all there is until it writes the next one.
  void begin(bool goes_on) const;

  /// final.csv (last_good.csv of a failed run), energy.csv, counters.csv, where asked for motion.png
  /// and balance.png, and run.json last: where it is, all the others are.
  void write(const Scene& scene, const State& last, const Record& record, const RunReport& report,
             bool pictures) const;

 private:
  std::filesystem::path path_;
};

}  // namespace stiffly
