#include "stiffly/results/frame_output.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"
#include "stiffly/files/file_image.hpp"
#include "stiffly/results/drawing.hpp"

namespace stiffly {
namespace {

namespace fs = std::filesystem;

/// The earlier file, in the new folder.
fs::path taken_over(const fs::path& from, const fs::path& folder) {
  const fs::path old = from / "frames.h5", path = folder / "frames.h5";
  if (!fs::exists(old))
    throw FileError(
        fmt::format("{}: no such file; a run that writes frames goes on from those it has", old.string()));
  if (!fs::equivalent(from, folder)) FileImage(old, FileImage::Access::read).copy_to(path);
  return path;
}

}  // namespace

FrameOutput::FrameOutput(const Scene& scene, const ContactTime* counted, const fs::path& folder,
                         const fs::path& from, const State* resumed)
    : frame_(scene),
      sampler_(SampleTimes::every(scene.body.start.time, scene.simulation.frames),
               [this, counted](const State& state) { file_->add(frame_(state, counted)); }),
      check_(scene.system()) {
  if (resumed) {
    sampler_.resume(*resumed);
    file_.emplace(FrameFile::resume(taken_over(from, folder), frame_.points().size(),
                                    static_cast<std::size_t>(sampler_.count())));
  } else {
    file_.emplace(folder / "frames.h5", frame_.points().size(), topology(scene));
  }
}

}  // namespace stiffly
