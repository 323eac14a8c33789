#include "stiffly/mesh/tetrahedra.hpp"

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <numbers>

namespace stiffly::mesh {
namespace {

Eigen::Vector3d at(std::span<const Point> positions, int particle) {
  return Eigen::Vector3d::Map(positions[static_cast<std::size_t>(particle)].data());
}

/// Face i leaves out corner i; seen from outside a positive tetrahedron it runs counterclockwise.
constexpr std::array<Triangle, 4> faces = {{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

Triangle face(const Tetrahedron& t, std::size_t i) {
  const auto corner = [&](std::size_t j) { return t[static_cast<std::size_t>(faces[i][j])]; };
  return {corner(0), corner(1), corner(2)};
}

}  // namespace

double signed_volume(const Tetrahedron& t, std::span<const Point> positions) {
  const Eigen::Vector3d a = at(positions, t[0]);
  const Eigen::Vector3d b = at(positions, t[1]) - a, c = at(positions, t[2]) - a, d = at(positions, t[3]) - a;
  return b.cross(c).dot(d) / 6;
}

std::vector<std::pair<int, int>> edges_of(std::span<const Tetrahedron> tetrahedra) {
  std::vector<std::pair<int, int>> edges;
  edges.reserve(6 * tetrahedra.size());
  for (const Tetrahedron& t : tetrahedra)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) edges.emplace_back(std::min(t[i], t[j]), std::max(t[i], t[j]));
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<Triangle> surface_of(std::span<const Tetrahedron> tetrahedra) {
  struct Face {
    Triangle key;  // sorted, so that both sides of an inner face agree
    Triangle corners;
  };
  std::vector<Face> all;
  all.reserve(4 * tetrahedra.size());
  for (const Tetrahedron& t : tetrahedra)
    for (std::size_t i = 0; i < 4; ++i) {
      Face f{face(t, i), face(t, i)};
      std::sort(f.key.begin(), f.key.end());
      all.push_back(f);
    }
  std::sort(all.begin(), all.end(), [](const Face& a, const Face& b) { return a.key < b.key; });
  std::vector<Triangle> surface;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t next = i + 1;
    while (next < all.size() && all[next].key == all[i].key) ++next;
    if (next == i + 1) surface.push_back(all[i].corners);
    i = next;
  }
  return surface;
}

double smallest_dihedral_angle(const Tetrahedron& t, std::span<const Point> positions) {
  std::array<Eigen::Vector3d, 4> normal;
  for (std::size_t i = 0; i < 4; ++i) {
    const Triangle f = face(t, i);
    const Eigen::Vector3d a = at(positions, f[0]);
    normal[i] = (at(positions, f[1]) - a).cross(at(positions, f[2]) - a).normalized();
  }
  double smallest = std::numbers::pi;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j)
      smallest =
          std::min(smallest, std::numbers::pi - std::acos(std::clamp(normal[i].dot(normal[j]), -1.0, 1.0)));
  return smallest * 180 / std::numbers::pi;
}

}  // namespace stiffly::mesh
