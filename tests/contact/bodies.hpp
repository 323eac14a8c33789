// Surfaces and random points for tests of contact.
#pragma once

#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "stiffly/contact/box_tree.hpp"
#include "stiffly/system/elements.hpp"

namespace stiffly::test {

inline Eigen::Vector3d random_point(std::mt19937& random, double size = 1) {
  std::normal_distribution<double> normal;
  return Eigen::Vector3d::NullaryExpr([&](Eigen::Index) { return size * normal(random); });
}

struct Surface {
  std::vector<Eigen::Vector3d> points;
  std::vector<Triangle> triangles;
};

/// An octahedron whose triangles are cut into four, again and again, its points brought to
/// `radius(direction)` from the centre.
template <class Radius>
Surface star_shape(int cuts, const Radius& radius) {
  Surface s;
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) s.points.push_back(sign * Eigen::Vector3d::Unit(axis));
  for (const int x : {0, 1})
    for (const int y : {2, 3})
      for (const int z : {4, 5})
        s.triangles.push_back((x + y + z) % 2 == 0 ? Triangle{x, y, z} : Triangle{x, z, y});
  for (; cuts > 0; --cuts) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [at, added] =
          middles.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int>(s.points.size()));
      if (added)
        s.points.push_back(
            (s.points[static_cast<std::size_t>(a)] + s.points[static_cast<std::size_t>(b)]).normalized());
      return at->second;
    };
    std::vector<Triangle> finer;
    for (const auto& [a, b, c] : s.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const Triangle& t :
           {Triangle{a, ab, ca}, Triangle{ab, b, bc}, Triangle{ca, bc, c}, Triangle{ab, bc, ca}})
        finer.push_back(t);
    }
    s.triangles = finer;
  }
  for (Eigen::Vector3d& x : s.points) x *= radius(x);
  return s;
}

/// A body with bumps and dents.
inline Surface bumpy(int cuts) {
  return star_shape(cuts, [](const Eigen::Vector3d& x) {
    return 1 + 0.4 * std::sin(4.1 * x[0] + 0.3) * std::cos(3.3 * x[1]) + 0.2 * std::sin(5.7 * x[2]);
  });
}

/// A cuboid of twelve triangles about the origin.
inline Surface cuboid_surface(const Eigen::Vector3d& half) {
  Surface s;
  for (int corner = 0; corner < 8; ++corner)
    s.points.push_back(
        half.cwiseProduct(Eigen::Vector3d(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1)));
  for (const auto& [a, b, c, d] : {std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}, std::array{0, 1, 5, 4},
                                   std::array{2, 6, 7, 3}, std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}}) {
    s.triangles.push_back({a, b, c});
    s.triangles.push_back({a, c, d});
  }
  return s;
}

}  // namespace stiffly::test
