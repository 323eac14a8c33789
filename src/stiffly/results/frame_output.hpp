// The frames of a run on their way to its folder.
#pragma once

#include <filesystem>
#include <optional>

#include "stiffly/control/sampler.hpp"
#include "stiffly/results/drawing.hpp"
#include "stiffly/results/frame_check.hpp"
#include "stiffly/results/frame_file.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {

class FrameOutput {
 public:
  /// Begins `folder`/frames.h5. Where the run goes on from a state of an earlier one (`resumed`), the file of
  /// that one in `from` is taken over up to there. `counted`, where it is given, must outlive it and see each
  /// state first.
  FrameOutput(const Scene& scene, const ContactTime* counted, const std::filesystem::path& folder,
              const std::filesystem::path& from = {}, const State* resumed = nullptr);
  FrameOutput(const FrameOutput&) = delete;
  FrameOutput& operator=(const FrameOutput&) = delete;

  /// After every step; the same state twice does no harm.
  void see(const State& state, const StatesWithin& within, bool interpolated) {
    std::size_t inside = 0;
    sampler_.see(state, [&](std::span<const double> times) {
      inside += times.size();
      return within(times);
    });
    check_.see(state, interpolated ? inside : 0);
  }
  const FrameCheck& check() const { return check_; }
  /// All frames seen so far are in the file afterwards.
  void flush() { file_->flush(); }
  long count() const { return sampler_.count(); }

 private:
  FrameMaker frame_;
  Sampler sampler_;
  FrameCheck check_;
  std::optional<FrameFile> file_;
};

}  // namespace stiffly
