#include "stiffly/mesh/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>

#include "stiffly/error.hpp"

namespace stiffly::mesh {

void MeshBuilder::fail(std::string_view what, std::int64_t place, const std::string& message) const {
  throw InputError(kind_ == Place::line ? fmt::format("{}:{}: {}", name_, place, message)
                                        : fmt::format("{}: {} {}: {}", name_, what, place, message));
}

void MeshBuilder::point(double x, double y, double z, std::int64_t place) {
  // Beyond this, cubes of lengths overflow.
  constexpr double largest = 1e100;
  for (const double value : {x, y, z})
    if (!(std::abs(value) <= largest))
      fail("point", place, fmt::format("a coordinate must be finite and below 1e100, not {}", value));
  mesh_.points.emplace_back(x, y, z);
}

void MeshBuilder::polygon(std::span<const std::int64_t> corners, std::int64_t place) {
  if (corners.size() < 3)
    fail("face", place, fmt::format("a face needs at least 3 corners, not {}", corners.size()));
  std::vector<std::int64_t> sorted(corners.begin(), corners.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    fail("face", place, "a face names the same point twice; remove the face");
  for (std::size_t i = 2; i < corners.size(); ++i) {
    triangles_.push_back({corners[0], corners[i - 1], corners[i]});
    triangle_places_.push_back(place);
  }
}

void MeshBuilder::tetrahedron(std::span<const std::int64_t> corners, std::int64_t place) {
  tetrahedra_.push_back({corners[0], corners[1], corners[2], corners[3]});
  tetrahedron_places_.push_back(place);
}

template <std::size_t Corners>
std::array<int, Corners> MeshBuilder::checked(const std::array<std::int64_t, Corners>& corners,
                                              std::string_view what, std::int64_t place) const {
  std::array<int, Corners> out;
  for (std::size_t i = 0; i < Corners; ++i) {
    if (corners[i] < 0 || corners[i] >= points())
      fail(what, place,
           fmt::format("a {} names a point that is not there: the file has {} points", what, points()));
    out[i] = static_cast<int>(corners[i]);
    if (std::find(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(i), out[i]) !=
        out.begin() + static_cast<std::ptrdiff_t>(i))
      fail(what, place, fmt::format("a {} names the same point twice; remove the {}", what, what));
  }
  return out;
}

void MeshBuilder::orient_tetrahedra() {
  std::size_t negative = 0;
  for (std::size_t i = 0; i < mesh_.tetrahedra.size(); ++i) {
    const auto& t = mesh_.tetrahedra[i];
    const auto edge = [&](std::size_t a, std::size_t b) -> Eigen::Vector3d {
      return mesh_.points[static_cast<std::size_t>(t[b])] - mesh_.points[static_cast<std::size_t>(t[a])];
    };
    const double volume = edge(0, 1).cross(edge(0, 2)).dot(edge(0, 3));
    const double longest = std::max({edge(0, 1).norm(), edge(0, 2).norm(), edge(0, 3).norm()});
    if (!(std::abs(volume) > 1e-13 * longest * longest * longest))
      fail("tetrahedron", tetrahedron_places_[i], "a tetrahedron is flat; remove it or mesh the body anew");
    negative += volume < 0;
  }
  if (negative == 0 || negative < mesh_.tetrahedra.size()) return;
  for (auto& t : mesh_.tetrahedra) std::swap(t[2], t[3]);
}

Mesh MeshBuilder::finish() {
  for (std::size_t i = 0; i < triangles_.size(); ++i)
    mesh_.triangles.push_back(checked(triangles_[i], "triangle", triangle_places_[i]));
  for (std::size_t i = 0; i < tetrahedra_.size(); ++i)
    mesh_.tetrahedra.push_back(checked(tetrahedra_[i], "tetrahedron", tetrahedron_places_[i]));
  if (mesh_.triangles.empty() && mesh_.tetrahedra.empty())
    throw InputError(
        fmt::format("{}: holds no triangles and no tetrahedra (but {} points)", name_, points()));
  orient_tetrahedra();
  for (const auto& [what, count] : left_out_) note(fmt::format("{} {} left out", count, what));
  return std::move(mesh_);
}

}  // namespace stiffly::mesh
