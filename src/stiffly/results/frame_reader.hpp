// frames.h5 read again, a frame at a time.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "stiffly/files/hdf5.hpp"
#include "stiffly/results/frame_file.hpp"

namespace stiffly {

/// Throws FileError for what is no HDF5 file, and InputError for one that is no such file. May be used while
/// a run writes the file; frames that come later are seen by a new reader.
class FrameReader {
 public:
  explicit FrameReader(const std::filesystem::path& path);

  std::size_t frames() const { return frames_; }
  std::size_t particles() const { return particles_; }
  std::vector<double> times() const;
  /// Throws InputError where an element has a corner that is no particle.
  Topology topology() const;
  /// Three numbers a particle.
  std::vector<double> positions(std::size_t frame) const { return file_.row("position", frame); }
  std::vector<double> velocities(std::size_t frame) const { return file_.row("velocity", frame); }
  bool has_contact() const { return file_.has("contact"); }
  std::size_t obstacle_count() const {
    return file_.has("obstacle_pose") ? file_.shape("obstacle_pose").at(1) : 0;
  }
  /// Points of all obstacles, where frames have how long they were touched; 0 where they do not.
  std::size_t contact_time_points() const {
    const auto shape =
        file_.has("obstacle_contact") ? file_.shape("obstacle_contact") : std::vector<std::size_t>{};
    return shape.size() == 2 ? shape[1] : 0;
  }
  /// Size of what touches each particle, N; none where nothing can.
  std::vector<double> contact(std::size_t frame) const { return optional_row("contact", frame); }
  /// Twelve numbers an obstacle.
  std::vector<double> poses(std::size_t frame) const { return optional_row("obstacle_pose", frame); }
  /// For how long things have touched each point of the obstacles so far, s; none where files do not say.
  std::vector<double> contact_time(std::size_t frame) const {
    return optional_row("obstacle_contact", frame);
  }

 private:
  std::vector<double> optional_row(const char* table, std::size_t frame) const {
    return file_.has(table) ? file_.row(table, frame) : std::vector<double>{};
  }
  std::vector<ObstacleSurface> obstacles() const;

  std::filesystem::path path_;
  Hdf5Reader file_;
  std::size_t frames_ = 0, particles_ = 0;
};

}  // namespace stiffly
