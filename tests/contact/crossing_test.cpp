// Segments that pass through each other, against answers known beforehand and a look at many times.
#include "stiffly/contact/crossing.hpp"

#include <gtest/gtest.h>

#include "contact/bodies.hpp"
#include "crossings.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

Corners corners(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  Corners out;
  out << a, b, c, d;
  return out;
}

// One lies along x, the other along y comes down on it from z = 0.3 at 1.1 a step.
TEST(Crossing, IsWhereAndWhenTheyMeet) {
  const Corners from = corners({-0.7, 0, 0}, {1.3, 0, 0}, {0.1, -0.4, 0.3}, {0.1, 1.2, 0.3});
  Corners to = from;
  to.rightCols<2>().row(2).array() -= 1.1;
  const auto crossing = crossing_of_segments(from, to);
  ASSERT_TRUE(crossing);
  EXPECT_NEAR(crossing->time, 0.3 / 1.1, 1e-14);
  EXPECT_LT((crossing->weights - CornerWeights(-0.6, -0.4, 0.75, 0.25)).norm(), 1e-14);
  EXPECT_LT((crossing->normal - Vector3d(0, 0, 1)).norm(), 1e-14);
}

TEST(Crossing, IsNoneWhereTheyPassBesideOrTurnBack) {
  const Corners from = corners({-0.7, 0, 0}, {1.3, 0, 0}, {0.1, -0.4, 0.3}, {0.1, 1.2, 0.3});
  Corners to = from;
  to.rightCols<2>().row(2).array() -= 0.29;
  EXPECT_FALSE(crossing_of_segments(from, to)) << "not so far";
  Corners beside = from;
  beside.rightCols<2>().row(0).array() += 1.3;
  Corners beyond = beside;
  beyond.rightCols<2>().row(2).array() -= 1.1;
  EXPECT_FALSE(crossing_of_segments(beside, beyond)) << "past its end";
  EXPECT_FALSE(crossing_of_segments(from, from));
  // Turned by half a turn about its own middle, seen as straight ways of its ends: through, and back.
  const Corners half = corners({-0.7, 0, 0}, {1.3, 0, 0}, {0.1, 1.2, 0.3}, {0.1, -0.4, 0.3});
  EXPECT_EQ(crossing_of_segments(from, half).has_value(), test::signed_crossings(from, half) != 0);
}

// Side by side and parallel, their corners are in a plane, and stay nearly so: they do not meet for that.
TEST(Crossing, IsNoneOfParallelSegmentsThatBeginToTurn) {
  std::mt19937 random(19);
  for (int trial = 0; trial < 2000; ++trial) {
    const Vector3d along(0, 0, -0.013), aside(0.0043, 0.0037, 0.0013 * (trial % 7));
    const Vector3d first = test::random_point(random, 0.1);
    const Corners from = corners(first, first + along, first + aside, first + aside + along);
    Corners to = from;
    for (int c = 0; c < 4; ++c) to.col(c) += test::random_point(random, 3e-4);
    EXPECT_FALSE(crossing_of_segments(from, to)) << trial;
    EXPECT_EQ(test::signed_crossings(from, to), 0) << trial;
  }
}

// Random ways, some of them tiny, some far from the origin, some nearly parallel.
TEST(Crossing, IsThatOfALookAtManyTimes) {
  std::mt19937 random(83);
  int found = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Vector3d origin = trial % 3 == 0 ? Vector3d(1e3, -2e3, 3e3) : Vector3d::Zero();
    const double size = trial % 5 == 0 ? 1e-3 : 1;
    Corners from, to;
    for (int c = 0; c < 4; ++c) from.col(c) = test::random_point(random);
    for (int c = 0; c < 4; ++c) to.col(c) = from.col(c) + 0.8 * test::random_point(random);
    if (trial % 7 == 0)
      for (Corners* x : {&from, &to})
        x->col(3) = x->col(2) + x->col(1) - x->col(0) + 1e-2 * test::random_point(random);
    from = (size * from).colwise() + origin;
    to = (size * to).colwise() + origin;
    const int through = test::signed_crossings(from, to, 400);
    const auto crossing = crossing_of_segments(from, to);
    ASSERT_EQ(crossing.has_value(), through != 0) << trial;
    if (!crossing) continue;
    ++found;
    const Vector3d there = (from + crossing->time * (to - from)) * crossing->weights;
    EXPECT_LT(there.norm(), 1e-8 * size) << trial;
    EXPECT_NEAR(crossing->normal.norm(), 1, 1e-12);
    EXPECT_GT(crossing->normal.dot(from * crossing->weights), 0) << trial;
    EXPECT_LE(crossing->normal.dot(to * crossing->weights), 1e-12 * size) << trial;
  }
  EXPECT_GT(found, 200);
}

}  // namespace
}  // namespace stiffly
