// Solid shapes and how far points are from them.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace stiffly {

/// From the surface, negative inside, with derivatives by the place. The gradient has length 1 everywhere:
/// where several points of the surface are nearest (the centre of a sphere, edges seen from inside), it is
/// that of one of them. There, and on an edge itself, second derivatives do not exist and are left out.
struct Distance {
  double value = 0;
  Eigen::Vector3d gradient = Eigen::Vector3d::Zero();
  Eigen::Matrix3d hessian = Eigen::Matrix3d::Zero();
};

class SolidShape {
 public:
  virtual ~SolidShape() = default;
  /// The distance of x where it is below `reach`; nothing otherwise.
  virtual std::optional<Distance> within(double reach, const Eigen::Vector3d& x) const = 0;
  Distance distance(const Eigen::Vector3d& x) const {
    return *within(std::numeric_limits<double>::infinity(), x);
  }
  /// Whether it is known to be convex. Then the distance is a convex function.
  virtual bool is_convex() const { return false; }
};

/// All below a plane, the side to which the normal points being free. All of these throw InputError (naming
/// what is wrong) unless numbers are finite, directions not zero, and lengths above 0.
std::shared_ptr<const SolidShape> half_space(const Eigen::Vector3d& point, const Eigen::Vector3d& normal);
std::shared_ptr<const SolidShape> ball(const Eigen::Vector3d& centre, double radius);
/// All that is within `radius` of the segment; its ends may be the same.
std::shared_ptr<const SolidShape> capsule(const Eigen::Vector3d& from, const Eigen::Vector3d& to,
                                          double radius);
/// A cuboid along the axes.
std::shared_ptr<const SolidShape> cuboid(const Eigen::Vector3d& centre, const Eigen::Vector3d& half_sides);
/// The six walls of a cuboid from within, each a solid of its own: in its edges things feel both walls, where
/// the distance from the nearest one would turn from one to the other at once.
std::vector<std::shared_ptr<const SolidShape>> walls(const Eigen::Vector3d& centre,
                                                     const Eigen::Vector3d& half_sides);
/// What the shape leaves free, and the reverse: a hollow.
std::shared_ptr<const SolidShape> hollow(std::shared_ptr<const SolidShape> shape);

}  // namespace stiffly
