#include "stiffly/contact/closed_surface.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "stiffly/contact/offset.hpp"
#include "stiffly/error.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// Also of nearly equal or opposite directions.
double angle_between(const Vector3d& a, const Vector3d& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

}  // namespace

ClosedSurface::ClosedSurface(std::vector<Vector3d> points, std::vector<Triangle> triangles)
    : points_(std::move(points)), triangles_(std::move(triangles)) {
  if (triangles_.empty()) throw InputError("the surface has no triangles");
  for (std::size_t i = 0; i < points_.size(); ++i)
    if (!points_[i].allFinite()) throw InputError(fmt::format("point {} of the surface is not finite", i));
  for (std::size_t i = 0; i < triangles_.size(); ++i)
    for (const int corner : triangles_[i])
      if (corner < 0 || static_cast<std::size_t>(corner) >= points_.size())
        throw InputError(fmt::format("triangle {} of the surface has no point {}", i, corner));
  find_normals();
  check_outside();
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    Box box;
    for (const Vector3d& corner : corners(i)) box.extend(corner);
    box_.extend(box);
    boxes.push_back(box);
  }
  tree_.build(boxes);
}

TriangleCorners ClosedSurface::corners(std::size_t triangle) const {
  const Triangle& t = triangles_[triangle];
  return {points_[static_cast<std::size_t>(t[0])], points_[static_cast<std::size_t>(t[1])],
          points_[static_cast<std::size_t>(t[2])]};
}

void ClosedSurface::find_normals() {
  std::map<std::pair<int, int>, std::size_t> directed;  // the triangle that runs along an edge
  const auto fail = [](int a, int b, const char* what) {
    throw InputError(fmt::format(
        "the surface is not closed: the edge of points {} and {} {}; `stiffly mesh` shows what is wrong "
        "with a file and repairs some of it",
        a, b, what));
  };
  corner_normals_.assign(points_.size(), Vector3d::Zero());
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const TriangleCorners x = corners(i);
    const Vector3d area = (x[1] - x[0]).cross(x[2] - x[0]);
    if (!(area.norm() > 1e-10 * (x[1] - x[0]).norm() * (x[2] - x[0]).norm()))
      throw InputError(fmt::format(
          "triangle {} of the surface has no area, and so no outside; `stiffly mesh` repairs that", i));
    face_normals_.push_back(area.normalized());
    for (std::size_t c = 0; c < 3; ++c) {
      const int a = triangles_[i][c], b = triangles_[i][(c + 1) % 3];
      if (!directed.try_emplace({a, b}, i).second) fail(a, b, "is passed twice in the same direction");
      corner_normals_[static_cast<std::size_t>(a)] +=
          angle_between(x[(c + 1) % 3] - x[c], x[(c + 2) % 3] - x[c]) * face_normals_.back();
    }
  }
  for (Vector3d& normal : corner_normals_) normal.normalize();
  edge_normals_.resize(triangles_.size());
  for (const auto& [edge, triangle] : directed) {
    const auto other = directed.find({edge.second, edge.first});
    if (other == directed.end()) fail(edge.first, edge.second, "belongs to one triangle alone");
    std::size_t c = 0;
    while (triangles_[triangle][c] != edge.first) ++c;
    edge_normals_[triangle][c] = (face_normals_[triangle] + face_normals_[other->second]).normalized();
  }
}

void ClosedSurface::check_outside() const {
  double volume = 0;
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const TriangleCorners x = corners(i);
    volume += (x[0] - points_[0]).dot((x[1] - points_[0]).cross(x[2] - points_[0])) / 6;
  }
  if (volume < 0)
    throw InputError(fmt::format(
        "the surface is inside out (its volume is {:.4g}): turn its triangles round, or make it a hollow",
        volume));
}

std::optional<Distance> ClosedSurface::within(double reach, const Vector3d& x) const {
  std::size_t nearest = triangles_.size();
  Vector3d weights = Vector3d::Zero(), offset = Vector3d::Zero();
  const auto visit = [&](int triangle, double bound) {
    const auto i = static_cast<std::size_t>(triangle);
    const TriangleCorners c = corners(i);
    const Vector3d w = nearest_weights(x, c);
    const Vector3d away = x - (w[0] * c[0] + w[1] * c[1] + w[2] * c[2]);
    const double distance = away.squaredNorm();
    if (!(distance < bound)) return bound;
    nearest = i;
    weights = w;
    offset = away;
    return distance;
  };
  const bool maybe_inside = box_.contains(x);
  const bool all = maybe_inside || std::isinf(reach);
  if (!all && reach <= 0) return std::nullopt;
  tree_.near(x, all ? std::numeric_limits<double>::infinity() : reach * reach, visit);
  if (nearest == triangles_.size()) return std::nullopt;

  Eigen::Index first = 0;
  const Triangle& triangle = triangles_[nearest];
  const auto corners_of = (weights.array() > 0).count();
  Vector3d normal = face_normals_[nearest];
  if (corners_of == 1) {
    weights.maxCoeff(&first);
    normal = corner_normals_[static_cast<std::size_t>(triangle[static_cast<std::size_t>(first)])];
  } else if (corners_of == 2) {
    weights.minCoeff(&first);
    first = (first + 1) % 3;
    normal = edge_normals_[nearest][static_cast<std::size_t>(first)];
  }
  const double side = offset.dot(normal) < 0 ? -1 : 1;
  if (!(side * offset.norm() < reach)) return std::nullopt;
  if (corners_of == 3) return Distance{offset.dot(normal), normal, Eigen::Matrix3d::Zero()};
  const TriangleCorners c = corners(nearest);
  const Vector3d along = c[static_cast<std::size_t>((first + 1) % 3)] - c[static_cast<std::size_t>(first)];
  const Otherwise on_surface{normal, 1e-12 * box_.diagonal().norm()};
  Distance out = corners_of == 2 ? distance_along(offset, along.normalized(), on_surface)
                                 : distance_at(offset, on_surface);
  if (out.value > 0) {
    out.value *= side;
    out.gradient *= side;
    out.hessian *= side;
  }
  return out;
}

}  // namespace stiffly
