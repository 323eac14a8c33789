#include "stiffly/mesh/repair.hpp"

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <map>
#include <tuple>

#include "stiffly/mesh/tetrahedra.hpp"

namespace stiffly::mesh {
namespace {

/// Points are compared by the cell of a fine grid they lie in; pairs across a cell's wall are missed, which
/// the winding number forgives.
int merge_points(Mesh& surface) {
  Eigen::AlignedBox3d box;
  for (const auto& x : surface.points) box.extend(x);
  const double cell = 1e-9 * std::max(box.diagonal().norm(), 1e-300);
  std::map<std::array<std::int64_t, 3>, int> numbers;
  std::vector<int> number;
  std::vector<Eigen::Vector3d> points;
  for (const auto& x : surface.points) {
    const Eigen::Vector3d scaled = (x - box.min()) / cell;
    const auto [entry, is_new] =
        numbers.try_emplace({std::llround(scaled.x()), std::llround(scaled.y()), std::llround(scaled.z())},
                            static_cast<int>(points.size()));
    if (is_new) points.push_back(x);
    number.push_back(entry->second);
  }
  for (auto& t : surface.triangles)
    for (int& corner : t) corner = number[static_cast<std::size_t>(corner)];
  const auto merged = static_cast<int>(surface.points.size() - points.size());
  surface.points = std::move(points);
  return merged;
}

int drop_triangles(Mesh& surface) {
  const std::size_t before = surface.triangles.size();
  std::erase_if(surface.triangles,
                [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  // Of triangles with the same three corners one remains, whichever way they face.
  std::vector<std::pair<Triangle, std::size_t>> keys;
  for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
    Triangle key = surface.triangles[i];
    std::sort(key.begin(), key.end());
    keys.emplace_back(key, i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<bool> repeated(keys.size(), false);
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (keys[i].first == keys[i - 1].first) repeated[keys[i].second] = true;
  std::vector<Triangle> kept;
  for (std::size_t i = 0; i < surface.triangles.size(); ++i)
    if (!repeated[i]) kept.push_back(surface.triangles[i]);
  surface.triangles = std::move(kept);
  return static_cast<int>(before - surface.triangles.size());
}

struct Neighbour {
  std::size_t triangle;
  bool agrees;  ///< runs along the shared edge in the opposite direction, as it should
};

/// Across edges that exactly two triangles share; elsewhere it is not clear who belongs together.
std::vector<std::vector<Neighbour>> neighbours_of(const std::vector<Triangle>& triangles) {
  struct Side {
    std::pair<int, int> edge;
    std::size_t triangle;
    bool forward;
  };
  std::vector<Side> sides;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = triangles[t][i], b = triangles[t][(i + 1) % 3];
      sides.push_back({{std::min(a, b), std::max(a, b)}, t, a < b});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.edge, a.triangle) < std::tie(b.edge, b.triangle);
  });
  std::vector<std::vector<Neighbour>> out(triangles.size());
  for (std::size_t i = 0, next; i < sides.size(); i = next) {
    for (next = i + 1; next < sides.size() && sides[next].edge == sides[i].edge;) ++next;
    if (next != i + 2) continue;
    const bool agrees = sides[i].forward != sides[i + 1].forward;
    out[sides[i].triangle].push_back({sides[i + 1].triangle, agrees});
    out[sides[i + 1].triangle].push_back({sides[i].triangle, agrees});
  }
  return out;
}

/// Six times the volume under the triangle, seen from `origin`.
double volume_under(const Mesh& surface, const Triangle& t, const Eigen::Vector3d& origin) {
  const auto at = [&](std::size_t i) -> Eigen::Vector3d {
    return surface.points[static_cast<std::size_t>(t[i])] - origin;
  };
  return at(0).cross(at(1)).dot(at(2));
}
double area(const Mesh& surface, const Triangle& t) {
  const auto at = [&](std::size_t i) -> const Eigen::Vector3d& {
    return surface.points[static_cast<std::size_t>(t[i])];
  };
  return (at(1) - at(0)).cross(at(2) - at(0)).norm() / 2;
}

int turn_triangles(Mesh& surface) {
  const std::vector<Triangle> before = surface.triangles;
  const auto neighbours = neighbours_of(surface.triangles);
  std::vector<char> seen(before.size(), 0), turned(before.size(), 0);
  const auto turn = [&](std::size_t t) {
    std::swap(surface.triangles[t][1], surface.triangles[t][2]);
    turned[t] ^= 1;
  };
  Eigen::AlignedBox3d box;
  for (const auto& x : surface.points) box.extend(x);
  for (std::size_t start = 0; start < before.size(); ++start) {
    if (seen[start]) continue;
    std::vector<std::size_t> part = {start};
    seen[start] = 1;
    for (std::size_t i = 0; i < part.size(); ++i)
      for (const Neighbour& n : neighbours[part[i]]) {
        if (seen[n.triangle]) continue;
        seen[n.triangle] = 1;
        if (n.agrees == static_cast<bool>(turned[part[i]])) turn(n.triangle);
        part.push_back(n.triangle);
      }
    // Where most agreed from the start they were right; where they were at odds, outwards is.
    double all = 0, changed = 0, volume = 0;
    for (const std::size_t t : part) {
      all += area(surface, surface.triangles[t]);
      changed += turned[t] ? area(surface, surface.triangles[t]) : 0;
      volume += volume_under(surface, surface.triangles[t], box.center());
    }
    const bool clear = std::min(changed, all - changed) < 0.1 * all;
    if (clear ? changed > all / 2 : volume < 0)
      for (const std::size_t t : part) turn(t);
  }
  double volume = 0;
  for (const Triangle& t : surface.triangles) volume += volume_under(surface, t, box.center());
  if (volume < 0)
    for (std::size_t t = 0; t < before.size(); ++t) turn(t);
  return static_cast<int>(std::count(turned.begin(), turned.end(), 1));
}

}  // namespace

SurfaceRepair repair_surface(Mesh& surface) {
  surface.tetrahedra.clear();
  SurfaceRepair repair;
  repair.merged_points = merge_points(surface);
  repair.dropped_triangles = drop_triangles(surface);
  repair.turned_triangles = turn_triangles(surface);
  return repair;
}

}  // namespace stiffly::mesh
