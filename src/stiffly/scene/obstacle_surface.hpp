// What obstacles look like.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "stiffly/contact/solid_shape.hpp"
#include "stiffly/system/elements.hpp"
#include "stiffly/system/motion.hpp"

namespace stiffly {

/// Where a rigid body lies: the places of what was at the origin and at the ends of the three unit vectors.
using Pose = std::array<Point, 4>;

struct ObstacleSurface {
  std::vector<Point> points = {};        ///< where they lie before anything moves
  std::vector<Triangle> triangles = {};  ///< of what ends: counter-clockwise seen from where it is free
  bool endless = false;                  ///< the drawn piece of a plane that goes on
  std::shared_ptr<const Motion> motion = nullptr;  ///< a rigid one; none: it rests
  /// What it is, as it lies before anything moves; none: all that is known is how it looks.
  std::shared_ptr<const SolidShape> solid = nullptr;
  double touched_within = 0;  ///< what has its middle nearer to the solid than this touches it, m

  Pose pose(double time) const;
  /// The points at a time.
  std::vector<Point> placed(double time) const;
};

/// The square about the foot of `centre` on the plane, `half_side` in each direction.
ObstacleSurface plane_surface(const Eigen::Vector3d& point, const Eigen::Vector3d& normal,
                              const Eigen::Vector3d& centre, double half_side);
/// All that is `radius` away from the segment; a sphere where both ends are the same. Its points lie about
/// evenly, so that what is counted at them means the same everywhere.
ObstacleSurface capsule_surface(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double radius);
/// Corners stand once for each face, so that edges look sharp.
ObstacleSurface box_surface(const Eigen::Vector3d& centre, const Eigen::Vector3d& half_sides);

/// All of them, one after the other, as files and messages have them.
struct ObstacleArrays {
  std::vector<double> points;  ///< three numbers each
  std::vector<int> owner;      ///< obstacle of each point
  std::vector<int> triangles;  ///< three numbers each, of points of all
  std::vector<int> endless;    ///< 1 or 0 of each obstacle
};
ObstacleArrays arrays_of(std::span<const ObstacleSurface> obstacles);

}  // namespace stiffly
