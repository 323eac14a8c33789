// Pairs that are near are those that comparing all with all finds.
#include "stiffly/contact/near_pairs.hpp"

#include <gtest/gtest.h>

#include <set>

#include "contact/bodies.hpp"
#include "stiffly/error.hpp"
#include "stiffly/threads.hpp"

namespace stiffly {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

struct Scatter {
  std::vector<double> x;
  std::vector<ThickElement> elements;
};

/// Points, segments and triangles, joined and apart; some parallel, some of no size, some touching.
Scatter scatter(std::mt19937& random, int count, const Eigen::Vector3d& origin) {
  std::uniform_int_distribution<int> kind(0, 7), any(0, 1 << 20);
  std::uniform_real_distribution<double> radius(0, 0.05);
  Scatter out;
  const auto add = [&](const Eigen::Vector3d& point) {
    out.x.insert(out.x.end(), point.begin(), point.end());
    return static_cast<int>(out.x.size() / 3) - 1;
  };
  const auto place = [&](int i) { return Eigen::Vector3d(Eigen::Vector3d::Map(out.x.data() + 3 * i)); };
  for (int e = 0; e < count; ++e) {
    ThickElement element{{add(origin + test::random_point(random)), -1, -1}, radius(random)};
    const Eigen::Vector3d first = place(element.corners[0]);
    const int k = kind(random);
    if (k >= 2) element.corners[1] = add(first + test::random_point(random, k == 2 ? 0 : 0.2));
    if (k == 3)  // parallel to an axis, as others are
      for (const int i : {4, 5}) out.x[out.x.size() - static_cast<std::size_t>(i - 3)] = first[i - 3];
    if (k == 4 && e > 0) {  // begins at a particle of another
      element.corners[0] = any(random) % (element.corners[0]);
    }
    if (k >= 6) element.corners[2] = add(first + test::random_point(random, 0.2));
    if (k == 7) element.radius = 0;
    out.elements.push_back(element);
  }
  return out;
}

Pairs brute_force(const NearPairs& pairs, std::span<const double> x, double reach) {
  Pairs out;
  const int count = static_cast<int>(pairs.elements().size());
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j)
      if (pairs.pair(i, j).kind != Meeting::none && pairs.gap(i, j, x) < reach) out.emplace_back(i, j);
  return out;
}

TEST(NearPairs, AreThoseOfBruteForceInThousandConfigurations) {
  std::mt19937 random(59);
  std::size_t found = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Vector3d origin =
        trial % 3 == 1 ? Eigen::Vector3d(1e6, -1e6, 1e6) : Eigen::Vector3d(0, 0, 0);
    const Scatter s = scatter(random, 20 + trial % 130, origin);
    NearPairs pairs(s.elements);
    const double reach = trial % 5 == 0 ? 0 : 0.1;
    const Pairs expected = brute_force(pairs, s.x, reach);
    ASSERT_EQ(pairs.find(s.x, reach), expected) << "configuration " << trial;
    found += expected.size();
  }
  EXPECT_GT(found, 10000u);
}

TEST(NearPairs, FollowMotion) {
  std::mt19937 random(61);
  Scatter s = scatter(random, 400, {0, 0, 0});
  NearPairs pairs(s.elements);
  for (int step = 0; step < 8; ++step) {
    ASSERT_EQ(pairs.find(s.x, 0.1), brute_force(pairs, s.x, 0.1));
    for (double& x : s.x) x += test::random_point(random, 0.3)[0];
  }
  EXPECT_GT(pairs.builds(), 1);
  EXPECT_LT(pairs.builds(), 8);
}

TEST(NearPairs, DoNotDependOnThreads) {
  std::mt19937 random(67);
  const Scatter s = scatter(random, 4000, {0, 0, 0});
  const int before = thread_count();
  set_thread_count(1);
  const Pairs alone = NearPairs(s.elements).find(s.x, 0.02);
  set_thread_count(3);
  EXPECT_EQ(NearPairs(s.elements).find(s.x, 0.02), alone);
  set_thread_count(before);
  EXPECT_GT(alone.size(), 1000u);
}

TEST(NearPairs, RefuseRadiiThatMeanNothing) {
  EXPECT_THROW(NearPairs({{{0, -1, -1}, -0.1}}), InputError);
  EXPECT_THROW(NearPairs({{{0, 1, -1}, NAN}}), InputError);
}

TEST(NearPairs, OfNothingAreNone) { EXPECT_TRUE(NearPairs({}).find({}, 1).empty()); }

/// Nearest distance on straight ways, by a look at many times.
double least_gap(const NearPairs& pairs, int i, int j, std::span<const double> from,
                 std::span<const double> to) {
  double least = 1e300;
  std::vector<double> x(from.size());
  for (int k = 0; k <= 50; ++k) {
    for (std::size_t a = 0; a < x.size(); ++a) x[a] = from[a] + k / 50.0 * (to[a] - from[a]);
    least = std::min(least, pairs.gap(i, j, x));
  }
  return least;
}

// On their ways: none that comes near is missed, those found are those of the bound, and those of some
// elements are among them.
TEST(NearPairs, OnStraightWaysMissNone) {
  std::mt19937 random(61);
  std::size_t found = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Scatter s = scatter(random, 40, Eigen::Vector3d::Zero());
    std::vector<double> to = s.x;
    for (double& value : to) value += 0.13 * std::normal_distribution<double>()(random);
    NearPairs pairs(s.elements);
    const double reach = 0.017;
    const Pairs on_way = pairs.find(s.x, to, reach);
    found += on_way.size();
    for (int i = 0; i < 40; ++i)
      for (int j = i + 1; j < 40; ++j)
        if (pairs.pair(i, j).kind != Meeting::none && least_gap(pairs, i, j, s.x, to) < reach) {
          ASSERT_TRUE(std::ranges::binary_search(on_way, std::pair(i, j))) << trial << ": " << i << ", " << j;
        }
    const std::vector<int> some = {3, 8, 21, 22};
    Pairs of_some;
    for (const auto& pair : on_way)
      if (std::ranges::any_of(some, [&](int e) { return pair.first == e || pair.second == e; }))
        of_some.push_back(pair);
    EXPECT_EQ(pairs.find_of(some, s.x, to, reach), of_some);
  }
  EXPECT_GT(found, 150u);
}

// On a part of the way, which some elements go as they like, and the others straight on.
TEST(NearPairs, OnPartsOfWaysMissNone) {
  std::mt19937 random(67);
  std::normal_distribution<double> normal;
  std::size_t found = 0, passed = 0;
  const double reach = 0.017;
  for (const PartOfWay part : {PartOfWay{0, 0.5}, {0.5, 1}, {3.0 / 7, 4.0 / 7}, {62.0 / 64, 63.0 / 64}}) {
    for (int trial = 0; trial < 30; ++trial) {
      const Scatter s = scatter(random, 40, Eigen::Vector3d(0, 0, trial % 2 == 0 ? 0 : 1e3));
      std::vector<double> to = s.x;
      for (double& value : to) value += 0.13 * normal(random);
      NearPairs pairs(s.elements);
      pairs.find(s.x, to, reach);
      std::vector<double> from_then = s.x, to_then = s.x;
      for (std::size_t k = 0; k < to.size(); ++k) {
        from_then[k] += part.from * (to[k] - s.x[k]);
        to_then[k] += part.until * (to[k] - s.x[k]);
      }
      std::set<int> moved;
      for (const std::size_t i : {3, 8, 21, 22, 23, 37})
        for (const int corner : s.elements[i].corners)
          if (corner >= 0) moved.insert(corner);
      for (const int corner : moved)
        for (int d = 0; d < 3; ++d) {
          from_then[static_cast<std::size_t>(3 * corner + d)] += 0.01 * normal(random);
          to_then[static_cast<std::size_t>(3 * corner + d)] += 0.05 * normal(random);
        }
      std::vector<int> some;
      for (int i = 0; i < 40; ++i)
        if (std::ranges::any_of(s.elements[static_cast<std::size_t>(i)].corners,
                                [&](int corner) { return moved.contains(corner); }))
          some.push_back(i);
      const Pairs of_some = pairs.find_of(some, from_then, to_then, reach, part);
      const Pairs near_of_all = NearPairs(s.elements).find(from_then, to_then, 1.1 * reach);
      for (const auto& pair : of_some) EXPECT_TRUE(std::ranges::binary_search(near_of_all, pair));
      found += of_some.size();
      passed += near_of_all.size();
      for (int i = 0; i < 40; ++i)
        for (int j = i + 1; j < 40; ++j) {
          const bool is_of_some = std::ranges::count(some, i) + std::ranges::count(some, j) > 0;
          if (!is_of_some || pairs.pair(i, j).kind == Meeting::none) continue;
          if (least_gap(pairs, i, j, from_then, to_then) < reach) {
            ASSERT_TRUE(std::ranges::binary_search(of_some, std::pair(i, j)))
                << trial << ": " << i << ", " << j;
          }
        }
    }
  }
  EXPECT_GT(found, 100u);
  EXPECT_GT(passed, 2 * found);
}

}  // namespace
}  // namespace stiffly
