// Filled bodies must be sound: the right size, well-shaped, conforming, whatever the surface looked like.
#include "stiffly/mesh/fill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <Eigen/LU>
#include <map>
#include <numbers>
#include <random>

#include "stiffly/error.hpp"
#include "stiffly/mesh/stuffing.hpp"
#include "stiffly/mesh/tetrahedra.hpp"
#include "stiffly/mesh/winding_number.hpp"

namespace stiffly {

using namespace mesh;
namespace {

constexpr double pi = std::numbers::pi;

/// A grid of m × n quadrilaterals through x(u, v), u and v in [0, 1]; seams and poles are left as duplicates.
template <class Map>
Mesh patch(int m, int n, const Map& x) {
  Mesh out;
  for (int i = 0; i <= m; ++i)
    for (int j = 0; j <= n; ++j)
      out.points.push_back(x(static_cast<double>(i) / m, static_cast<double>(j) / n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1;
      out.triangles.push_back({a, b, b + 1});
      out.triangles.push_back({a, b + 1, a + 1});
    }
  return out;
}
Mesh sphere(double radius = 1, const Eigen::Vector3d& centre = Eigen::Vector3d::Zero()) {
  return patch(80, 40, [&](double u, double v) -> Eigen::Vector3d {
    const double a = 2 * pi * u, b = pi * (1 - v);
    return centre +
           radius * Eigen::Vector3d(std::cos(a) * std::sin(b), std::sin(a) * std::sin(b), std::cos(b));
  });
}
Mesh torus() {
  return patch(96, 48, [](double u, double v) {
    const double a = 2 * pi * u, b = 2 * pi * v, r = 1 + 0.4 * std::cos(b);
    return Eigen::Vector3d(r * std::cos(a), r * std::sin(a), 0.4 * std::sin(b));
  });
}
Mesh box(const Eigen::Vector3d& size) {
  Mesh out;
  for (int i = 0; i < 8; ++i)
    out.points.emplace_back(size.x() * (i & 1), size.y() * (i >> 1 & 1), size.z() * (i >> 2));
  for (const auto& q : std::vector<std::array<int, 4>>{
           {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    out.triangles.push_back({q[0], q[1], q[2]});
    out.triangles.push_back({q[0], q[2], q[3]});
  }
  return out;
}
Mesh joined(Mesh a, const Mesh& b) {
  const int shift = static_cast<int>(a.points.size());
  a.points.insert(a.points.end(), b.points.begin(), b.points.end());
  for (auto t : b.triangles) {
    for (int& corner : t) corner += shift;
    a.triangles.push_back(t);
  }
  return a;
}

std::vector<Point> positions(const Mesh& mesh) {
  std::vector<Point> out;
  for (const auto& x : mesh.points) out.push_back({x.x(), x.y(), x.z()});
  return out;
}

/// Checks all that must hold of any filled body; returns its volume.
double check_sound(const Mesh& body) {
  const std::vector<Point> x = positions(body);
  double volume = 0, angle = 180;
  std::map<Triangle, int> faces;
  std::vector<bool> used(x.size(), false);
  for (const Tetrahedron& t : body.tetrahedra) {
    const double v = signed_volume(t, x);
    EXPECT_GT(v, 0);
    volume += v;
    angle = std::min(angle, smallest_dihedral_angle(t, x));
    for (std::size_t skip = 0; skip < 4; ++skip) {
      Triangle face;
      for (std::size_t i = 0, k = 0; i < 4; ++i)
        if (i != skip) face[k++] = t[i];
      std::sort(face.begin(), face.end());
      ++faces[face];
    }
    for (const int corner : t) used[static_cast<std::size_t>(corner)] = true;
  }
  EXPECT_GT(angle, 8);
  EXPECT_TRUE(std::all_of(used.begin(), used.end(), [](bool u) { return u; }));
  // Conforming: no face belongs to three, and those of one only make a surface without an edge.
  std::map<std::pair<int, int>, int> edges;
  for (const auto& [face, count] : faces) {
    EXPECT_LE(count, 2);
    if (count != 1) continue;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i + 1; j < 3; ++j) ++edges[{face[i], face[j]}];
  }
  for (const auto& [edge, count] : edges) EXPECT_EQ(count % 2, 0);
  // A hanging node would leave a crack, which the surface's own volume misses.
  double under = 0;
  for (const Triangle& t : body.triangles) {
    Eigen::Matrix3d m;
    for (int i = 0; i < 3; ++i)
      m.col(i) = body.points[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])];
    under += m.determinant() / 6;
  }
  EXPECT_NEAR(under, volume, 1e-9 * volume);
  return volume;
}

TEST(FillSurface, Sphere) {
  const Mesh body = fill_surface(sphere(), 5000);
  EXPECT_NEAR(static_cast<double>(body.points.size()), 5000, 150);
  EXPECT_NEAR(check_sound(body), 4 * pi / 3, 0.02 * 4 * pi / 3);
}

TEST(FillSurface, Torus) {
  const Mesh body = fill_surface(torus(), 4000);
  const double exact = 2 * pi * pi * 0.16;
  EXPECT_NEAR(check_sound(body), exact, 0.03 * exact);
}

TEST(FillSurface, ThinPlate) {
  const Mesh body = fill_surface(box({1, 1, 0.04}), 12000);
  EXPECT_NEAR(check_sound(body), 0.04, 0.02 * 0.04);
  try {
    fill_surface(box({1, 1, 0.001}), 1000);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the body has parts too thin for 1000 particles; ask for more");
  }
}

TEST(FillSurface, DirtyCubeWithAHole) {
  // Every triangle has corners of its own, a third is turned, some are there twice, and one is missing.
  Mesh clean;
  for (int side = 0; side < 6; ++side) {
    const int axis = side / 2;
    clean = joined(clean, patch(8, 8, [&](double u, double v) {
                     Eigen::Vector3d x;
                     x[axis] = side % 2;
                     x[(axis + 1) % 3] = side % 2 ? u : v;
                     x[(axis + 2) % 3] = side % 2 ? v : u;
                     return x;
                   }));
  }
  std::mt19937 random(3);
  Mesh dirty;
  for (std::size_t k = 0; k < clean.triangles.size(); ++k) {
    if (k == 30) continue;
    for (int copies = random() % 10 == 0 ? 2 : 1; copies > 0; --copies) {
      const int first = static_cast<int>(dirty.points.size());
      for (const int corner : clean.triangles[k])
        dirty.points.push_back(clean.points[static_cast<std::size_t>(corner)]);
      dirty.triangles.push_back({first, first + 1, first + 2});
      if (random() % 3 == 0) std::swap(dirty.triangles.back()[1], dirty.triangles.back()[2]);
    }
  }
  const Mesh body = fill_surface(dirty, 4000);
  EXPECT_NEAR(check_sound(body), 1, 0.03);
  EXPECT_EQ(body.notes.size(), 3u);
}

TEST(FillSurface, SaysHowMuchItLeavesOut) {
  EXPECT_TRUE(fill_surface(sphere(1), 2000).warnings.empty());
  const Mesh body = fill_surface(joined(sphere(1), sphere(0.2, {2, 0, 0})), 4000);
  ASSERT_EQ(body.warnings.size(), 1u);
  EXPECT_EQ(body.warnings[0].kind, "parts-left-out");
  // 0.2³/(1 + 0.2³) of the volume, and what the surfaces cut off.
  double percent = 0;
  ASSERT_EQ(std::sscanf(body.warnings[0].message.c_str(), "1 small pieces with %lf", &percent), 1)
      << body.warnings[0].message;
  EXPECT_NEAR(percent, 0.79, 0.15);
}

TEST(FillSurface, CrossingPartsAreOneBody) {
  const Mesh body = fill_surface(joined(sphere(1), sphere(1, {1, 0, 0})), 4000);
  // Two balls at distance d = r overlap in a lens of 5π/12.
  const double exact = 8 * pi / 3 - 5 * pi / 12;
  EXPECT_NEAR(check_sound(body), exact, 0.03 * exact);
}

TEST(FillSurface, CavityStaysEmpty) {
  Mesh inner = sphere(0.6);
  for (auto& t : inner.triangles) std::swap(t[1], t[2]);
  const Mesh body = fill_surface(joined(sphere(1), inner), 8000);
  const double exact = 4 * pi / 3 * (1 - 0.6 * 0.6 * 0.6);
  EXPECT_NEAR(check_sound(body), exact, 0.03 * exact);
}

TEST(FillSurface, InsideOutIsTurned) {
  Mesh surface = sphere();
  for (auto& t : surface.triangles) std::swap(t[1], t[2]);
  EXPECT_GT(check_sound(fill_surface(surface, 1000)), 4);
}

TEST(FillSurface, RefusesWhatEnclosesNothing) {
  EXPECT_THROW(fill_surface(Mesh{}, 1000), InputError);
  EXPECT_THROW(fill_surface(patch(2, 2, [](double u, double v) { return Eigen::Vector3d(u, v, 0); }), 1000),
               InputError);
  EXPECT_THROW(fill_surface(sphere(), 3), InputError);
}

TEST(FillSurface, HundredThousandTetrahedraInSeconds) {
  const auto start = std::chrono::steady_clock::now();
  const Mesh body = fill_surface(torus(), 22000);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_GT(body.tetrahedra.size(), 100'000u);
  RecordProperty("seconds", std::to_string(time.count()));
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(time.count(), 30);  // a few in a release build
#endif
}

/// The angle holds for any shape: noise cuts edges anywhere.
TEST(Stuffing, AnglesHoldForRandomCuts) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 6; ++trial) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::array<Eigen::Vector4d, 12> waves;
    for (auto& w : waves)
      w = {9 * uniform(random), 9 * uniform(random), 9 * uniform(random), 3 * uniform(random)};
    const Inside inside = [&](const Eigen::Vector3d& x) {
      double sum = 0.3;
      for (const auto& w : waves) sum += std::sin(w.head<3>().dot(x) + w[3]);
      return x.squaredNorm() < 1 && sum > 0;
    };
    check_sound(stuff(
        inside, Eigen::AlignedBox3d(Eigen::Vector3d::Constant(-1), Eigen::Vector3d::Constant(1)), 0.09));
  }
}

TEST(WindingNumber, AgreesWithTheExactSum) {
  const Mesh surface = torus();
  const WindingNumber winding(surface.points, surface.triangles);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Vector3d x(uniform(random), uniform(random), uniform(random) / 3);
    const double distance = std::hypot(std::hypot(x.x(), x.y()) - 1, x.z()) - 0.4;
    if (std::abs(distance) < 0.01) continue;
    EXPECT_NEAR(winding(x), distance < 0 ? 1 : 0, 0.08);
  }
}

}  // namespace
}  // namespace stiffly
