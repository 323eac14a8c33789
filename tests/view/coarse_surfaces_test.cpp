// Coarser surfaces against what they are made of: a ball stays a ball, and sheets stay apart.
#include "stiffly/view/coarse_surfaces.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace stiffly::view {
namespace {

struct Surface {
  std::vector<std::array<double, 3>> points;
  std::vector<Triangle> triangles;
};

/// An octahedron whose triangles have been divided again and again, of radius 1.
Surface ball(int divisions) {
  Surface s{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}, {}};
  for (const int x : {0, 1})
    for (const int y : {2, 3})
      for (const int z : {4, 5}) {
        const bool even = (x + (y - 2) + (z - 4)) % 2 == 0;
        s.triangles.push_back(even ? Triangle{x, y, z} : Triangle{y, x, z});
      }
  for (int k = 0; k < divisions; ++k) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [at, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<int>(s.points.size()));
      if (is_new) {
        std::array<double, 3> m;
        for (std::size_t i = 0; i < 3; ++i)
          m[i] = s.points[static_cast<std::size_t>(a)][i] + s.points[static_cast<std::size_t>(b)][i];
        const double size = std::hypot(m[0], m[1], m[2]);
        for (double& number : m) number /= size;
        s.points.push_back(m);
      }
      return at->second;
    };
    std::vector<Triangle> finer;
    for (const auto& [a, b, c] : s.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    s.triangles = std::move(finer);
  }
  return s;
}

/// Within the surface, positive where triangles are seen counter-clockwise from outside.
double volume(const Surface& s, const std::vector<Triangle>& triangles) {
  double out = 0;
  for (const Triangle& t : triangles) {
    const auto at = [&](std::size_t i) { return s.points[static_cast<std::size_t>(t[i])]; };
    const auto a = at(0), b = at(1), c = at(2);
    out += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
            a[2] * (b[0] * c[1] - b[1] * c[0])) /
           6;
  }
  return out;
}

TEST(CoarseSurfacesTest, ABallStaysABall) {
  const Surface s = ball(6);  // 16 386 points
  const double whole = volume(s, s.triangles);
  EXPECT_NEAR(whole, 4 * std::numbers::pi / 3, 0.01);
  const std::vector<CoarseSurface> levels = coarse_surfaces(s.triangles, 200);
  ASSERT_GE(levels.size(), 2u);
  std::vector<Triangle> finer = s.triangles;
  std::size_t points = s.points.size();
  for (const CoarseSurface& level : levels) {
    EXPECT_GE(level.points.size(), 200u);
    EXPECT_GE(level.points.size(), points / 7);
    EXPECT_LE(level.points.size(), points / 2);
    EXPECT_NEAR(volume(s, level.triangles), whole, 0.06 * whole);
    // Some of the finer one's corners, no two of them neighbours there, each of them used.
    std::set<int> corners, of_finer;
    for (const Triangle& t : level.triangles) corners.insert(t.begin(), t.end());
    EXPECT_EQ(corners, std::set<int>(level.points.begin(), level.points.end()));
    for (const Triangle& t : finer) {
      of_finer.insert(t.begin(), t.end());
      EXPECT_LE(corners.count(t[0]) + corners.count(t[1]) + corners.count(t[2]), 1u);
    }
    for (const int corner : corners) EXPECT_TRUE(of_finer.contains(corner));
    finer = level.triangles;
    points = level.points.size();
  }
}

TEST(CoarseSurfacesTest, SheetsOnEachOtherStayApart) {
  std::vector<Triangle> sheets;
  constexpr int side = 40;
  for (int sheet = 0; sheet < 2; ++sheet)
    for (int i = 0; i + 1 < side; ++i)
      for (int j = 0; j + 1 < side; ++j) {
        const int a = 2 * (i * side + j) + sheet;  // numbers of both are mixed
        sheets.push_back({a, a + 2, a + 2 * side});
        sheets.push_back({a + 2, a + 2 + 2 * side, a + 2 * side});
      }
  const std::vector<CoarseSurface> levels = coarse_surfaces(sheets, 50);
  ASSERT_FALSE(levels.empty());
  for (const CoarseSurface& level : levels)
    for (const Triangle& t : level.triangles) EXPECT_TRUE((t[0] ^ t[1]) % 2 == 0 && (t[1] ^ t[2]) % 2 == 0);
}

TEST(CoarseSurfacesTest, LittleOrNothingHasNoCoarserOne) {
  EXPECT_TRUE(coarse_surfaces({}, 0).empty());
  const std::vector<Triangle> one = {{4, 2, 7}};
  EXPECT_TRUE(coarse_surfaces(one, 0).empty());
}

}  // namespace
}  // namespace stiffly::view
