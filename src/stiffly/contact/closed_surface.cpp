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

ClosedSurface::ClosedSurface(std::vector<Vector3d> points, std::vector<Triangle> triangles) {
  if (triangles.empty()) throw InputError("the surface has no triangles");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite()) throw InputError(fmt::format("point {} of the surface is not finite", i));
  for (std::size_t i = 0; i < triangles.size(); ++i)
    for (const int corner : triangles[i])
      if (corner < 0 || static_cast<std::size_t>(corner) >= points.size())
        throw InputError(fmt::format("triangle {} of the surface has no point {}", i, corner));
  tree_ = TriangleTree(std::move(points), std::move(triangles));
  find_normals();
  check_outside();
}

void ClosedSurface::find_normals() {
  const std::vector<Triangle>& triangles = tree_.triangles();
  std::map<std::pair<int, int>, std::size_t> directed;  // the triangle that runs along an edge
  const auto fail = [](int a, int b, const char* what) {
    throw InputError(fmt::format(
        "the surface is not closed: the edge of points {} and {} {}; `stiffly mesh` shows what is wrong "
        "with a file and repairs some of it",
        a, b, what));
  };
  corner_normals_.assign(tree_.points().size(), Vector3d::Zero());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const TriangleCorners x = tree_.corners(i);
    const Vector3d area = (x[1] - x[0]).cross(x[2] - x[0]);
    if (!(area.norm() > 1e-10 * (x[1] - x[0]).norm() * (x[2] - x[0]).norm()))
      throw InputError(fmt::format(
          "triangle {} of the surface has no area, and so no outside; `stiffly mesh` repairs that", i));
    face_normals_.push_back(area.normalized());
    for (std::size_t c = 0; c < 3; ++c) {
      const int a = triangles[i][c], b = triangles[i][(c + 1) % 3];
      if (!directed.try_emplace({a, b}, i).second) fail(a, b, "is passed twice in the same direction");
      corner_normals_[static_cast<std::size_t>(a)] +=
          angle_between(x[(c + 1) % 3] - x[c], x[(c + 2) % 3] - x[c]) * face_normals_.back();
    }
  }
  for (Vector3d& normal : corner_normals_) normal.normalize();
  edge_normals_.resize(triangles.size());
  for (const auto& [edge, triangle] : directed) {
    const auto other = directed.find({edge.second, edge.first});
    if (other == directed.end()) fail(edge.first, edge.second, "belongs to one triangle alone");
    std::size_t c = 0;
    while (triangles[triangle][c] != edge.first) ++c;
    edge_normals_[triangle][c] = (face_normals_[triangle] + face_normals_[other->second]).normalized();
  }
}

void ClosedSurface::check_outside() const {
  double volume = 0;
  const Vector3d& origin = tree_.points()[0];
  for (std::size_t i = 0; i < tree_.triangles().size(); ++i) {
    const TriangleCorners x = tree_.corners(i);
    volume += (x[0] - origin).dot((x[1] - origin).cross(x[2] - origin)) / 6;
  }
  if (volume < 0)
    throw InputError(fmt::format(
        "the surface is inside out (its volume is {:.4g}): turn its triangles round, or make it a hollow",
        volume));
}

std::optional<Distance> ClosedSurface::within(double reach, const Vector3d& x) const {
  const bool all = tree_.box().contains(x) || std::isinf(reach);
  if (!all && reach <= 0) return std::nullopt;
  const std::optional<TriangleTree::Nearest> found = all ? tree_.nearest(x) : tree_.nearest(x, reach);
  if (!found) return std::nullopt;
  const auto& [nearest, weights, offset] = *found;

  Eigen::Index first = 0;
  const Triangle& triangle = tree_.triangles()[nearest];
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
  const TriangleCorners c = tree_.corners(nearest);
  const Vector3d along = c[static_cast<std::size_t>((first + 1) % 3)] - c[static_cast<std::size_t>(first)];
  const Otherwise on_surface{normal, 1e-12 * tree_.box().diagonal().norm()};
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
