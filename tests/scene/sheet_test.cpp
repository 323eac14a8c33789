// The sheet's counts and lengths follow from its rows and columns.
#include "stiffly/scene/sheet.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <set>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

double length(const Sheet& s, const std::pair<int, int>& e) {
  return (s.points[static_cast<std::size_t>(e.first)] - s.points[static_cast<std::size_t>(e.second)]).norm();
}

TEST(Sheet, CountsAreThoseOfAGrid) {
  const Sheet s = make_sheet();
  const std::size_t r = 50, c = 70;
  EXPECT_EQ(s.points.size(), r * c);
  EXPECT_EQ(s.triangles.size(), 2 * (r - 1) * (c - 1));
  EXPECT_EQ(s.stretch.size(), r * (c - 1) + c * (r - 1));
  EXPECT_EQ(s.shear.size(), 2 * (r - 1) * (c - 1));
  EXPECT_EQ(s.bend.size(), r * (c - 2) + c * (r - 2));
  EXPECT_EQ(s.pole.size(), r);
  std::set<std::pair<int, int>> all;
  for (const auto* edges : {&s.stretch, &s.shear, &s.bend})
    for (const auto& [a, b] : *edges) EXPECT_TRUE(all.emplace(std::min(a, b), std::max(a, b)).second);
}

TEST(Sheet, LengthsAndArea) {
  const Sheet s = make_sheet({.rows = 3, .columns = 5, .width = 4, .height = 2});
  for (const auto& e : s.stretch) EXPECT_NEAR(length(s, e), 1, 1e-12);
  for (const auto& e : s.bend) EXPECT_NEAR(length(s, e), 2, 1e-12);
  for (const auto& e : s.shear) EXPECT_NEAR(length(s, e), std::sqrt(2.0), 1e-12);
  double area = 0;
  for (const auto& t : s.triangles) {
    const auto at = [&](std::size_t i) { return s.points[static_cast<std::size_t>(t[i])]; };
    const Eigen::Vector3d n = (at(1) - at(0)).cross(at(2) - at(0)) / 2;
    EXPECT_LT(n.y(), 0);
    area += n.norm();
  }
  EXPECT_NEAR(area, 8, 1e-12);
}

TEST(Sheet, WrongParametersAreRefused) {
  EXPECT_THROW(make_sheet({.rows = 1}), InputError);
  EXPECT_THROW(make_sheet({.width = 0}), InputError);
  EXPECT_THROW(make_sheet({.rows = 100'000, .columns = 100'000}), InputError);
}

}  // namespace
}  // namespace stiffly
