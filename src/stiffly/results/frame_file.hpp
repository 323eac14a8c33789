// frames.h5: how everything moved.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stiffly/system/elements.hpp"

namespace stiffly {

/// What there is to draw, by the user's numbers of particles.
struct Topology {
  std::vector<Triangle> triangles;
  std::vector<Tetrahedron> tetrahedra;
  std::vector<std::pair<int, int>> springs;
};

/// Datasets `time` (frames), `position` and `velocity` (frames × particles × 3, the user's order), and
/// `triangles`, `tetrahedra`, `springs` (rows of particles' numbers). Frames are written as they come, some
/// at a time where they are small, and the file is closed in between: it can be read at any time, and what
/// a program that is killed has not yet written is little.
class FrameFile {
 public:
  /// A new file for that many particles.
  FrameFile(std::filesystem::path path, std::size_t particles, const Topology& topology);
  /// The file of an earlier run, of which the first `frames` are kept. Throws InputError where it has fewer.
  static FrameFile resume(std::filesystem::path path, std::size_t particles, std::size_t frames);

  void add(double time, std::span<const Point> positions, std::span<const Point> velocities);
  /// Writes what has come so far.
  void flush();

 private:
  FrameFile(std::filesystem::path path, std::size_t particles)
      : path_(std::move(path)), particles_(particles) {}

  std::filesystem::path path_;
  std::size_t particles_;
  std::vector<double> times_, positions_, velocities_;  ///< not yet written
};

/// `frames.pvd` and `frames/frame-NNNNNN.vtu` beside a frames.h5, one frame in memory at a time. Where
/// springs are all there is to draw, they are lines. Throws InputError where the file is no such file, and
/// FileError.
void write_vtu_series(const std::filesystem::path& frames);

}  // namespace stiffly
