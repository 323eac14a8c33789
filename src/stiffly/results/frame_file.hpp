// frames.h5: how everything moved.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stiffly/forces/spring_law.hpp"
#include "stiffly/system/elements.hpp"

namespace stiffly {

class Hdf5Reader;

/// What there is to draw, by the user's numbers of particles.
struct Topology {
  std::vector<Triangle> triangles;
  std::vector<Tetrahedron> tetrahedra;
  std::vector<std::pair<int, int>> springs;
  std::vector<SpringMaterial> materials = {};  ///< of the springs, or none; without their dashpots
  std::vector<double> masses = {};             ///< kg, of the particles, or none
};

/// Datasets `time` (frames), `position` and `velocity` (frames × particles × 3, the user's order), and
/// `triangles`, `tetrahedra`, `springs` (rows of particles' numbers); where they are known `mass` of
/// particles and `spring_stiffness` (N/m), `spring_rest_length` (m), `spring_hardening` (1 for the cubic law,
/// else 0). Frames are written as they come, some at a time where they are small, and the file is closed in
/// between: it can be read at any time, and what a program that is killed has not yet written is little.
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

/// Throws InputError where the file is no frames.h5.
void check_frame_format(const Hdf5Reader& file, const std::filesystem::path& path);

/// `frames.pvd` and `frames/frame-NNNNNN.vtu` beside a frames.h5, one frame in memory at a time. Where
/// springs are all there is to draw, they are lines. Throws InputError where the file is no such file, and
/// FileError.
void write_vtu_series(const std::filesystem::path& frames);

}  // namespace stiffly
