// Velocities prescribed for single particles: in a point, along a line, within a plane.
#pragma once

#include <Eigen/Core>
#include <map>
#include <vector>

#include "stiffly/linalg/vector.hpp"

namespace stiffly {

/// Per particle up to three directions that are not free, each with the velocity prescribed along it. May be
/// changed between steps.
class ParticleConstraints {
 public:
  /// The particle moves with `velocity`.
  void fix(int particle, const Eigen::Vector3d& velocity = Eigen::Vector3d::Zero());
  /// Free along `direction` only; across it, it moves with `velocity`.
  void keep_on_line(int particle, const Eigen::Vector3d& direction,
                    const Eigen::Vector3d& velocity = Eigen::Vector3d::Zero());
  /// Free across `normal`; along it, it moves at `speed` (measured along the unit normal).
  void keep_in_plane(int particle, const Eigen::Vector3d& normal, double speed = 0);
  void clear() { constraints_.clear(); }
  bool empty() const { return constraints_.empty(); }

  /// x ← S x: takes away what is not free.
  void project(VectorView x) const;
  /// Gives v the prescribed velocities, and leaves the rest of it alone.
  void prescribe(VectorView v) const;

 private:
  struct Direction {
    Eigen::Vector3d unit;
    double speed;
  };
  /// Throws InputError where the direction is already prescribed with another speed.
  void add(int particle, const Eigen::Vector3d& direction, double speed);

  std::map<int, std::vector<Direction>> constraints_;  // orthonormal directions
};

}  // namespace stiffly
