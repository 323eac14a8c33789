#include "stiffly/scene/obstacle_surface.hpp"

#include <cmath>
#include <Eigen/Geometry>
#include <numbers>

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr int meridians = 32, half_rings = 8;  ///< of a capsule; rings of each half-ball

Point as_point(const Vector3d& x) { return {x.x(), x.y(), x.z()}; }

/// Two directions across `axis` and each other, right-handed with it.
std::pair<Vector3d, Vector3d> two_across(const Vector3d& axis) {
  const Vector3d first = axis.unitOrthogonal();
  return {first, axis.cross(first)};
}

void add_square(ObstacleSurface& out, const Vector3d& middle, const Vector3d& u, const Vector3d& v) {
  const int first = static_cast<int>(out.points.size());
  for (const auto& [a, b] : {std::pair{-1, -1}, std::pair{1, -1}, std::pair{1, 1}, std::pair{-1, 1}})
    out.points.push_back(as_point(middle + a * u + b * v));
  out.triangles.push_back({first, first + 1, first + 2});
  out.triangles.push_back({first, first + 2, first + 3});
}

}  // namespace

std::vector<Point> ObstacleSurface::placed(double time) const {
  if (!motion) return points;
  std::vector<Point> out(points.size()), velocities(points.size());
  const std::size_t entries = 3 * points.size();
  motion->place(time, {points.data()->data(), entries}, {out.data()->data(), entries},
                {velocities.data()->data(), entries});
  return out;
}

Pose ObstacleSurface::pose(double time) const {
  const Pose units = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const ObstacleSurface frame{.points = {units.begin(), units.end()}, .motion = motion};
  const std::vector<Point> there = frame.placed(time);
  return {there[0], there[1], there[2], there[3]};
}

ObstacleSurface plane_surface(const Vector3d& point, const Vector3d& normal, const Vector3d& centre,
                              double half_side) {
  ObstacleSurface out{.endless = true};
  const Vector3d n = normal.normalized();
  const auto [u, v] = two_across(n);
  add_square(out, centre - n.dot(centre - point) * n, half_side * u, half_side * v);
  return out;
}

ObstacleSurface capsule_surface(const Vector3d& from, const Vector3d& to, double radius) {
  ObstacleSurface out;
  const bool is_ball = from == to;
  const Vector3d axis = is_ball ? Vector3d::UnitZ() : (to - from).normalized();
  const std::pair<Vector3d, Vector3d> across = two_across(axis);
  int ring = 0;
  const auto add_ring = [&](const Vector3d& centre, int latitude) {
    const double height = latitude * std::numbers::pi / (2 * half_rings);
    for (int k = 0; k < meridians; ++k) {
      const double angle = 2 * std::numbers::pi * k / meridians;
      const Vector3d direction =
          std::cos(height) * (std::cos(angle) * across.first + std::sin(angle) * across.second) +
          std::sin(height) * axis;
      out.points.push_back(as_point(centre + radius * direction));
      if (ring == 0) continue;
      const int here = ring * meridians + k, next = ring * meridians + (k + 1) % meridians;
      out.triangles.push_back({here - meridians, next - meridians, next});
      out.triangles.push_back({here - meridians, next, here});
    }
    ++ring;
  };
  for (int latitude = -half_rings; latitude <= 0; ++latitude) add_ring(from, latitude);
  for (int latitude = is_ball ? 1 : 0; latitude <= half_rings; ++latitude) add_ring(to, latitude);
  return out;
}

ObstacleSurface box_surface(const Vector3d& centre, const Vector3d& half_sides) {
  ObstacleSurface out;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vector3d n = Vector3d::Zero(), u = n, v = n;
      n(axis) = side * half_sides(axis);
      u((axis + 1) % 3) = half_sides((axis + 1) % 3);
      v((axis + 2) % 3) = side * half_sides((axis + 2) % 3);
      add_square(out, centre + n, u, v);
    }
  return out;
}

ObstacleArrays arrays_of(std::span<const ObstacleSurface> obstacles) {
  ObstacleArrays out;
  for (const ObstacleSurface& obstacle : obstacles) {
    const int first = static_cast<int>(out.owner.size());
    for (const Point& point : obstacle.points)
      out.points.insert(out.points.end(), point.begin(), point.end());
    out.owner.insert(out.owner.end(), obstacle.points.size(), static_cast<int>(out.endless.size()));
    for (const Triangle& t : obstacle.triangles)
      for (const int corner : t) out.triangles.push_back(first + corner);
    out.endless.push_back(obstacle.endless ? 1 : 0);
  }
  return out;
}

}  // namespace stiffly
