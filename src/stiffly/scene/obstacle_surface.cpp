#include "stiffly/scene/obstacle_surface.hpp"

#include <cmath>
#include <Eigen/Geometry>
#include <numbers>

namespace stiffly {
namespace {

using Eigen::Vector3d;

// Fine enough to show where something has touched, and still a few thousand triangles.
constexpr int around = 80, half_rings = around / 4;  ///< of a capsule: points, and rings of each half-ball
constexpr int most_rings = 128;                      ///< along a capsule
constexpr int most_squares = 24;                     ///< along the longest side of a box

Point as_point(const Vector3d& x) { return {x.x(), x.y(), x.z()}; }

/// Two directions across `axis` and each other, right-handed with it.
std::pair<Vector3d, Vector3d> two_across(const Vector3d& axis) {
  const Vector3d first = axis.unitOrthogonal();
  return {first, axis.cross(first)};
}

/// middle ± u ± v, in that many pieces along u and v.
void add_rectangle(ObstacleSurface& out, const Vector3d& middle, const Vector3d& u, const Vector3d& v,
                   int along_u = 1, int along_v = 1) {
  const int first = static_cast<int>(out.points.size());
  const auto share = [](int k, int pieces) { return (2.0 * k - pieces) / pieces; };
  for (int j = 0; j <= along_v; ++j)
    for (int i = 0; i <= along_u; ++i) {
      out.points.push_back(as_point(middle + share(i, along_u) * u + share(j, along_v) * v));
      if (i == along_u || j == along_v) continue;
      const int here = first + j * (along_u + 1) + i, above = here + along_u + 1;
      out.triangles.push_back({here, here + 1, above + 1});
      out.triangles.push_back({here, above + 1, above});
    }
}

struct Ring {
  int first = 0, points = 0;
};

/// Triangles between two rings that begin at the same angle; of a single point, a cap.
void add_belt(ObstacleSurface& out, const Ring& low, const Ring& high) {
  const int low_edges = low.points > 1 ? low.points : 0, high_edges = high.points > 1 ? high.points : 0;
  const auto at = [](const Ring& ring, int k) { return ring.first + k % ring.points; };
  for (int i = 0, j = 0; i < low_edges || j < high_edges;) {
    const bool on_low = j == high_edges || (i < low_edges && (i + 1) * high_edges <= (j + 1) * low_edges);
    if (on_low)
      out.triangles.push_back({at(low, i), at(low, i + 1), at(high, j)}), ++i;
    else
      out.triangles.push_back({at(low, i), at(high, j + 1), at(high, j)}), ++j;
  }
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
  add_rectangle(out, centre - n.dot(centre - point) * n, half_side * u, half_side * v);
  return out;
}

ObstacleSurface capsule_surface(const Vector3d& from, const Vector3d& to, double radius) {
  ObstacleSurface out;
  const bool is_ball = from == to;
  const Vector3d axis = is_ball ? Vector3d::UnitZ() : (to - from).normalized();
  const std::pair<Vector3d, Vector3d> across = two_across(axis);
  Ring below;
  const auto add_ring = [&](const Vector3d& centre, int latitude) {
    const double height = latitude * std::numbers::pi / (2 * half_rings);
    const int wanted = static_cast<int>(std::round(around * std::cos(height)));
    const Ring ring{static_cast<int>(out.points.size()), std::abs(latitude) == half_rings ? 1 : wanted};
    for (int k = 0; k < ring.points; ++k) {
      const double angle = 2 * std::numbers::pi * k / ring.points;
      const Vector3d direction =
          std::cos(height) * (std::cos(angle) * across.first + std::sin(angle) * across.second) +
          std::sin(height) * axis;
      out.points.push_back(as_point(centre + radius * direction));
    }
    if (below.points > 0) add_belt(out, below, ring);
    below = ring;
  };
  for (int latitude = -half_rings; latitude <= 0; ++latitude) add_ring(from, latitude);
  const double width = 2 * std::numbers::pi * radius / around;  // of a piece, as it shall be long
  const double wanted = std::min<double>(most_rings, std::round((to - from).norm() / width));
  const int along = is_ball ? 0 : std::max(1, static_cast<int>(wanted));
  for (int k = 1; k < along; ++k) add_ring(from + static_cast<double>(k) / along * (to - from), 0);
  for (int latitude = is_ball ? 1 : 0; latitude <= half_rings; ++latitude) add_ring(to, latitude);
  return out;
}

ObstacleSurface box_surface(const Vector3d& centre, const Vector3d& half_sides) {
  ObstacleSurface out;
  const auto pieces = [&](int axis) {
    return std::max(1, static_cast<int>(std::ceil(most_squares * half_sides(axis) / half_sides.maxCoeff())));
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vector3d n = Vector3d::Zero(), u = n, v = n;
      n(axis) = side * half_sides(axis);
      u((axis + 1) % 3) = half_sides((axis + 1) % 3);
      v((axis + 2) % 3) = side * half_sides((axis + 2) % 3);
      add_rectangle(out, centre + n, u, v, pieces((axis + 1) % 3), pieces((axis + 2) % 3));
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
