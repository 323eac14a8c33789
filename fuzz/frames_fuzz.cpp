// frames.h5, as a run that goes on reads it; nothing is written.
#include <cerrno>

#include "stiffly/files/disk.hpp"
#include "stiffly/results/frame_reader.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  static const fuzz::InputFile file(".h5");
  static const bool read_only = [] {
    set_disk_hook([](DiskOperation, const std::filesystem::path&) { return DiskFault{EROFS, false}; });
    return true;
  }();
  const std::filesystem::path& path = file.with(fuzz::text_of(data, size));
  fuzz::tried([&] {
    const FrameReader frames(path);
    fuzz::tried([&] { frames.topology(); });
    fuzz::tried([&] { frames.times(); });
    fuzz::tried([&] { frames.positions(1); });
    fuzz::tried([&] { frames.velocities(1); });
  });
  return fuzz::tried([&] {
    if (read_only) FrameFile::resume(path, 2, 1);
  });
}
