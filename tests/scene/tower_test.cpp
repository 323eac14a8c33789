// The tower must stand: one piece, four-fold symmetric, of the promised size, without loose girders.
#include "stiffly/scene/tower.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

TEST(Tower, HasAboutFiveThousandParticles) {
  const Tower tower = make_tower();
  EXPECT_NEAR(static_cast<double>(tower.points.size()), 5000, 250);
  double top = 0;
  for (const auto& x : tower.points) {
    EXPECT_GE(x.z(), 0);
    top = std::max(top, x.z());
  }
  EXPECT_DOUBLE_EQ(top, 324);
  EXPECT_EQ(tower.platform_heights.size(), 3u);
}

class TowerOfSegments : public testing::TestWithParam<int> {};

TEST_P(TowerOfSegments, IsOnePieceOfDistinctGirders) {
  const Tower tower = make_tower({.height = 10, .segments = GetParam()});
  const Tower::Edges edges = tower.edges();
  EXPECT_EQ(std::adjacent_find(edges.begin(), edges.end()), edges.end());
  std::vector<int> root(tower.points.size()), degree(tower.points.size(), 0);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[static_cast<std::size_t>(i)] != i)
      i = root[static_cast<std::size_t>(i)] =
          root[static_cast<std::size_t>(root[static_cast<std::size_t>(i)])];
    return i;
  };
  for (const auto& [a, b] : edges) {
    EXPECT_LT(a, b);
    EXPECT_GT((tower.points[static_cast<std::size_t>(a)] - tower.points[static_cast<std::size_t>(b)]).norm(),
              1e-4);
    ++degree[static_cast<std::size_t>(a)], ++degree[static_cast<std::size_t>(b)];
    root[static_cast<std::size_t>(find(a))] = find(b);
  }
  for (int i = 0; i < static_cast<int>(root.size()); ++i) {
    EXPECT_EQ(find(i), find(0));
    EXPECT_GE(degree[static_cast<std::size_t>(i)], 3);  // fewer cannot hold a particle in space
  }
  EXPECT_FALSE(tower.feet.empty());
  for (const int foot : tower.feet) EXPECT_EQ(tower.points[static_cast<std::size_t>(foot)].z(), 0);
}

TEST_P(TowerOfSegments, LooksTheSameFromAllSides) {
  const Tower tower = make_tower({.segments = GetParam()});
  std::set<std::array<long, 3>> places;
  const auto key = [](double x, double y, double z) {
    return std::array{std::lround(x * 100), std::lround(y * 100), std::lround(z * 100)};
  };
  for (const auto& p : tower.points) places.insert(key(p.x(), p.y(), p.z()));
  std::size_t missing = 0;
  for (const auto& p : tower.points) missing += !places.contains(key(-p.y(), p.x(), p.z()));
  EXPECT_EQ(missing, 0u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, TowerOfSegments, testing::Values(1, 2, 4));

TEST(Tower, WrongParametersAreRefused) {
  EXPECT_THROW(make_tower({.height = -1}), InputError);
  EXPECT_THROW(make_tower({.segments = 0}), InputError);
}

}  // namespace
}  // namespace stiffly
