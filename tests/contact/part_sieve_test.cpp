// What the sieve holds back does not come near; what it lets pass is little more than what does.
#include "stiffly/contact/part_sieve.hpp"

#include <gtest/gtest.h>

#include "contact/bodies.hpp"
#include "stiffly/contact/near_pairs.hpp"
#include "stiffly/contact/proximity.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr double length = 0.23, thick = 0.0137;

/// Thin parts in a box; of every seven one is parallel to the one before, one has no length, one begins where
/// the one before does. With `way` they move by about so much.
std::vector<MovingPart> parts(std::mt19937& random, const Vector3d& origin, double way) {
  std::vector<MovingPart> out;
  for (int i = 0; i < 70; ++i) {
    const auto any = [&](double size) { return test::random_point(random, size); };
    MovingPart p;
    p.first = i % 7 == 3 ? out.back().first : Vector3d(origin + any(0.5));
    p.last = i % 7 == 2   ? p.first
             : i % 7 == 1 ? Vector3d(p.first + (out.back().last - out.back().first))
                          : Vector3d(p.first + any(length));
    p.later_first = p.first + any(way);
    p.later_last = p.last + any(way);
    p.reach = thick * (1 + i % 3);
    out.push_back(p);
  }
  return out;
}

PartSieve sieve_of(std::span<const MovingPart> parts, const Vector3d& origin) {
  PartSieve out;
  out.begin(parts.size(), origin);
  for (std::size_t i = 0; i < parts.size(); ++i) out.set(i, parts[i]);
  return out;
}

double least_distance(const MovingPart& a, const MovingPart& b) {
  constexpr int looks = 40;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= looks; ++k) {
    const double t = double(k) / looks;
    const auto at = [&](const Vector3d& start, const Vector3d& end) -> Vector3d {
      return start + t * (end - start);
    };
    Corners corners;
    corners << at(a.first, a.later_first), at(a.last, a.later_last), at(b.first, b.later_first),
        at(b.last, b.later_last);
    least = std::min(least, nearest_of_segments(corners).between(corners).norm());
  }
  return least;
}

TEST(PartSieve, HoldsBackNothingThatComesNear) {
  std::mt19937 random(113);
  for (const double way : {0.0, 0.031, 0.29})
    for (const Vector3d& origin : {Vector3d(0, 0, 0), Vector3d(1e6, -1e6, 1e6)}) {
      int near = 0, passed = 0, all = 0;
      for (int trial = 0; trial < 60; ++trial) {
        const std::vector<MovingPart> p = parts(random, origin, way);
        const PartSieve sieve = sieve_of(p, origin);
        for (std::size_t i = 0; i < p.size(); ++i)
          for (std::size_t j = 0; j < p.size(); ++j) {
            const bool passes = (sieve.pass(i, j / 8, 1u << (j % 8)) >> (j % 8)) != 0;
            const bool comes_near = least_distance(p[i], p[j]) <= p[i].reach + p[j].reach;
            ASSERT_TRUE(passes || !comes_near) << i << ' ' << j << " way " << way;
            near += comes_near;
            passed += passes;
            ++all;
          }
      }
      EXPECT_GT(near, 3000);
      EXPECT_LT(passed - near, (way < 0.1 ? 0.2 : 0.35) * all) << way;
    }
}

TEST(PartSieve, AnswersOnlyWhatItIsAsked) {
  std::mt19937 random(127);
  const std::vector<MovingPart> p = parts(random, Vector3d::Zero(), 0.1);
  const PartSieve sieve = sieve_of(p, Vector3d::Zero());
  const unsigned all = sieve.pass(11, 3, 0xff);
  EXPECT_EQ(sieve.pass(11, 3, 0x5a), all & 0x5a);
  EXPECT_EQ(sieve.pass(11, 3, 0), 0u);
}

// Of segments alone, NearPairs asks the sieve: none of the pairs that are near is missing, wherever the
// origin is.
TEST(PartSieve, LeavesAllPairsOfSegmentsThatAreNear) {
  std::mt19937 random(131);
  std::size_t found = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vector3d origin = trial % 3 == 1 ? Vector3d(1e6, -1e6, 1e6) : Vector3d(0, 0, 0);
    std::vector<double> x;
    std::vector<ThickElement> elements;
    for (const MovingPart& p : parts(random, origin, 0)) {
      const int first = static_cast<int>(x.size() / 3);
      x.insert(x.end(), p.first.begin(), p.first.end());
      x.insert(x.end(), p.last.begin(), p.last.end());
      elements.push_back({{first, first + 1, -1}, p.reach});
    }
    NearPairs pairs(elements);
    constexpr double reach = 0.0191;
    std::vector<std::pair<int, int>> expected;
    const int count = static_cast<int>(elements.size());
    for (int i = 0; i < count; ++i)
      for (int j = i + 1; j < count; ++j)
        if (pairs.gap(i, j, x) < reach) expected.emplace_back(i, j);
    ASSERT_EQ(pairs.find(x, reach), expected) << trial;
    found += expected.size();
  }
  EXPECT_GT(found, 3000u);
}

}  // namespace
}  // namespace stiffly
