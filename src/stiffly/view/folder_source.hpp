// The folder of a run, finished or not.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "stiffly/view/packing.hpp"
#include "stiffly/view/run_source.hpp"

namespace stiffly::view {

/// Reads what is asked for when it is asked for, so that frames of a run that goes on are seen, and at most
/// some of them are in memory. Only run.json, frames.h5, energy.csv and counters.csv are ever read.
class FolderSource final : public RunSource {
 public:
  /// Throws FileError where there is no such folder.
  explicit FolderSource(std::filesystem::path folder);

  nlohmann::ordered_json describe() override;
  std::string topology() override;
  std::string times(std::size_t first) override;
  std::string frames(const FrameRange& asked) override;
  std::string table(const std::string& name) override;

 private:
  std::filesystem::path folder_;
  std::shared_ptr<const PointOrder> order_;  ///< of the file that was last looked at
};

}  // namespace stiffly::view
