// frames.h5: how everything moved.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "stiffly/scene/drawn_points.hpp"

namespace stiffly {

class Hdf5Reader;

/// All that a frame has, of points as DrawnPoints makes them.
struct FrameContents {
  double time = 0;
  std::vector<Point> positions = {}, velocities = {};
  std::vector<double> contact = {};  ///< size of what touches each point, N; empty where nothing can touch
  std::vector<Pose> poses = {};      ///< of the obstacles
  /// For how long each point of the obstacles was touched, s (ContactTime); empty where they cannot be.
  std::vector<double> contact_time = {};
};

/// Datasets `time` (frames), `position` and `velocity` (frames × points × 3), and `triangles`, `tetrahedra`,
/// `springs` (rows of points' numbers); where they are known `mass` of points and `spring_stiffness` (N/m),
/// `spring_rest_length` (m), `spring_hardening` (1 for the cubic law, else 0). Where there are fibres,
/// positions and velocities are of single precision, and there are `strands` (rows of a fibre's first point
/// and their number) and `particle` (of each point). Where there are obstacles, there are `obstacle_point`
/// (x, y, z of one after the other, as they lie before anything moves), `obstacle_of_point`,
/// `obstacle_triangles`, `obstacle_endless` (1 for the drawn piece of a plane, else 0) and `obstacle_pose`
/// (frames × obstacles × 12, see Pose); where something can touch, `contact` (frames × points): the size of
/// those forces, N; where there are obstacles that end, `obstacle_contact` (frames × points of obstacles,
/// single precision): for how long things have touched there so far, s (ContactTime). Frames are written as
/// they come, some at a time where they are small, and the file is closed in between: it can be read at any
/// time, and what a program that is killed has not yet written is little.
class FrameFile {
 public:
  /// A new file for that many points.
  FrameFile(std::filesystem::path path, std::size_t points, const Topology& topology);
  /// The file of an earlier run, of which the first `frames` are kept. Throws InputError where it has fewer.
  static FrameFile resume(std::filesystem::path path, std::size_t points, std::size_t frames);

  void add(const FrameContents& frame);
  /// Writes what has come so far.
  void flush();

 private:
  explicit FrameFile(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::vector<double> times_, positions_, velocities_, contact_, poses_, contact_time_;  ///< not yet written
  /// Files of older programs have no tables for them.
  bool with_contact_ = true, with_poses_ = true, with_contact_time_ = true;
};

/// Throws InputError where the file is no frames.h5.
void check_frame_format(const Hdf5Reader& file, const std::filesystem::path& path);

/// `frames.pvd` and `frames/frame-NNNNNN.vtu` beside a frames.h5, one frame in memory at a time. Fibres are
/// lines, and so are springs where nothing else is to draw. Throws InputError where the file is no such file,
/// and FileError.
void write_vtu_series(const std::filesystem::path& frames);

}  // namespace stiffly
