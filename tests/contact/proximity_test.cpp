// Nearest points of segments, points and triangles, their distance and its derivatives.
#include "stiffly/contact/proximity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "contact/bodies.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// The least of |from + s a + t b| over 0 ≤ s ≤ 1 and 0 ≤ t ≤ 1, or t ≤ 1 − s: the best t for each s has a
/// formula, and what is left is convex in s.
double least_distance(const Vector3d& from, const Vector3d& a, const Vector3d& b, bool triangle) {
  const auto at = [&](double s) {
    const Vector3d rest = from + s * a;
    const double t =
        b.isZero(0) ? 0 : std::clamp(-rest.dot(b) / b.squaredNorm(), 0.0, triangle ? 1 - s : 1.0);
    return (rest + t * b).norm();
  };
  double low = 0, high = 1;
  for (int i = 0; i < 120; ++i) {
    const double s = low + 0.382 * (high - low), t = low + 0.618 * (high - low);
    (at(s) < at(t) ? high : low) = at(s) < at(t) ? t : s;
  }
  return std::min({at(0), at(1), at((low + high) / 2)});
}

/// Parallel, crossing, touching, collapsed, in a plane, far away: by the number of the trial.
Corners random_corners(std::mt19937& random, int trial) {
  Corners c;
  for (int i = 0; i < 4; ++i) c.col(i) = test::random_point(random);
  switch (trial % 10) {
    case 1:  // parallel
      c.col(3) = c.col(2) + 0.8 * (c.col(1) - c.col(0));
      break;
    case 2:  // on one line
      c.col(2) = c.col(0) + 1.7 * (c.col(1) - c.col(0));
      c.col(3) = c.col(0) + 2.3 * (c.col(1) - c.col(0));
      break;
    case 3:  // a point
      c.col(1) = c.col(0);
      break;
    case 4:  // two points
      c.col(1) = c.col(0);
      c.col(3) = c.col(2);
      break;
    case 5:  // in a plane: some cross
      c.row(2).setZero();
      break;
    case 6:  // touching
      c.col(2) = 0.3 * c.col(0) + 0.7 * c.col(1);
      break;
    case 7:  // nearly parallel
      c.col(3) = c.col(2) - 0.9 * (c.col(1) - c.col(0)) + 1e-7 * test::random_point(random);
      break;
    case 8:  // a flat triangle
      c.col(3) = 0.4 * c.col(1) + 0.6 * c.col(2);
      break;
    default:
      break;
  }
  return c;
}

TEST(Proximity, OfSegmentsIsTheLeastDistance) {
  std::mt19937 random(43);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3d far = trial % 4 == 3 ? Vector3d(1e6, -1e6, 2e6) : Vector3d(0, 0, 0);
    Corners c = random_corners(random, trial);
    c.colwise() += far;
    const Proximity p = nearest_of_segments(c);
    EXPECT_NEAR(p.weights.sum(), 0, 1e-15);
    EXPECT_GE(std::min({-p.weights[0], -p.weights[1], p.weights[2], p.weights[3]}), 0);
    const double expected =
        least_distance(c.col(0) - c.col(2), c.col(1) - c.col(0), c.col(2) - c.col(3), false);
    EXPECT_NEAR(p.between(c).norm(), expected, 1e-9) << "trial " << trial;
  }
}

TEST(Proximity, OfPointAndTriangleIsTheLeastDistance) {
  std::mt19937 random(47);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3d far = trial % 4 == 3 ? Vector3d(1e6, -1e6, 2e6) : Vector3d(0, 0, 0);
    Corners c = random_corners(random, trial);
    c.colwise() += far;
    const Proximity p = nearest_of_point_and_triangle(c);
    EXPECT_NEAR(p.weights.sum(), 0, 1e-15);
    EXPECT_GE(p.weights.tail<3>().minCoeff(), 0);
    const double expected =
        least_distance(c.col(1) - c.col(0), c.col(2) - c.col(1), c.col(3) - c.col(1), true);
    EXPECT_NEAR(p.between(c).norm(), expected, 1e-9) << "trial " << trial;
  }
}

/// The least value of a convex function on the unit interval, by golden section.
template <class F>
double least_value(const F& f) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double s = low + 0.382 * (high - low), t = low + 0.618 * (high - low);
    (f(s) < f(t) ? high : low) = f(s) < f(t) ? t : s;
  }
  return std::min({f(0), f(1), f((low + high) / 2)});
}

/// What the rounded distance of segments is, from its definition.
double least_rounded(const Corners& c, double thickness) {
  const double rho2 = 0.02 * thickness * thickness;
  const double squared = least_value([&](double s) {
    return least_value([&](double t) {
      const Vector3d e = (1 - t) * c.col(2) + t * c.col(3) - (1 - s) * c.col(0) - s * c.col(1);
      return e.squaredNorm() + rho2 * ((s - 0.5) * (s - 0.5) + (t - 0.5) * (t - 0.5) - 0.5);
    });
  });
  return std::sqrt(std::max(0.0, squared));
}

TEST(Proximity, OfThickSegmentsIsRounded) {
  std::mt19937 random(59);
  for (int trial = 0; trial < 500; ++trial) {
    const Corners c = random_corners(random, trial);
    const double thickness = 0.23, exact = nearest_of_segments(c).between(c).norm();
    const Proximity p = rounded_nearest_of_segments(c, thickness);
    EXPECT_NEAR(p.weights.sum(), 0, 1e-15);
    EXPECT_GE(std::min({-p.weights[0], -p.weights[1], p.weights[2], p.weights[3]}), 0);
    EXPECT_NEAR(p.distance(c), least_rounded(c, thickness), 1e-7) << "trial " << trial;
    EXPECT_LE(p.distance(c), exact + 1e-15);
    if (exact >= thickness) {
      EXPECT_GE(p.distance(c), exact - most_rounded_off * thickness);
    }
    EXPECT_EQ(rounded_nearest_of_segments(c, 0).weights, nearest_of_segments(c).weights);
  }
}

// A rod that rolls over another one: what pushes it goes from end to end in small steps.
TEST(Proximity, OfThickSegmentsDoesNotJumpWhereTheyAreParallel) {
  const double thickness = 0.006, length = 0.021;
  const auto tilted = [&](double angle) {
    Corners c;
    c << -length / 2, length / 2, -0.47 * length * std::cos(angle), 0.53 * length * std::cos(angle),  //
        0, 0, 0, 0,                                                                                   //
        0, 0, thickness - 0.47 * length * std::sin(angle), thickness + 0.53 * length * std::sin(angle);
    return c;
  };
  double largest = 0, largest_exact = 0;
  const double step = 1e-4;  // by which the ends go up or down by 1 µm
  for (double angle = -0.02; angle < 0.02; angle += step) {
    const Corners a = tilted(angle), b = tilted(angle + step);
    largest = std::max(largest, (distance_of(rounded_nearest_of_segments(a, thickness), a).gradient -
                                 distance_of(rounded_nearest_of_segments(b, thickness), b).gradient)
                                    .norm());
    largest_exact = std::max(largest_exact, (distance_of(nearest_of_segments(a), a).gradient -
                                             distance_of(nearest_of_segments(b), b).gradient)
                                                .norm());
  }
  EXPECT_GT(largest_exact, 0.9);
  EXPECT_LT(largest, 0.05);
}

TEST(Proximity, DerivativesAreThoseOfTheDistance) {
  std::mt19937 random(53);
  int compared = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Corners c = random_corners(random, trial);
    const auto nearest = [&](const Corners& x) {
      return trial % 4 == 0   ? nearest_of_segments(x)
             : trial % 4 == 1 ? nearest_of_point_and_triangle(x)
             : trial % 4 == 2 ? rounded_nearest_of_segments(x, 0.31)
                              : nearest_of_points();
    };
    const Proximity here = nearest(c);
    const ProximityDistance d = distance_of(here, c);
    EXPECT_NEAR(d.value, here.distance(c), 1e-15 * (1 + c.cwiseAbs().maxCoeff()));
    ASSERT_TRUE(d.gradient.allFinite() && d.hessian.allFinite());
    if (d.value < 0.05) continue;
    const double delta = 1e-5;
    Eigen::Matrix<double, 12, 1> gradient;
    Eigen::Matrix<double, 12, 12> hessian;
    bool smooth = true;  // not where other corners, edges or faces become the nearest, or lines are parallel
    for (int i = 0; i < 12; ++i) {
      Corners up = c, down = c;
      up(i % 3, i / 3) += delta;
      down(i % 3, i / 3) -= delta;
      const Proximity a = nearest(up), b = nearest(down);
      const auto pattern = [](const Proximity& p) { return (p.weights.array() != 0).eval(); };
      smooth = smooth && (pattern(a) == pattern(here)).all() && (pattern(b) == pattern(here)).all() &&
               (a.weights - b.weights).norm() < 1e-2;
      const ProximityDistance at_up = distance_of(a, up), at_down = distance_of(b, down);
      gradient[i] = (at_up.value - at_down.value) / (2 * delta);
      hessian.col(i) = (at_up.gradient - at_down.gradient) / (2 * delta);
    }
    if (!smooth) continue;
    ++compared;
    EXPECT_LT((gradient - d.gradient).norm(), 1e-7 * (1 + d.hessian.norm())) << "trial " << trial;
    EXPECT_LT((hessian - d.hessian).norm(), 1e-6 * (1 + std::pow(d.hessian.norm(), 3))) << "trial " << trial;
    EXPECT_LT((d.hessian - d.hessian.transpose()).norm(), 1e-12 * (1 + d.hessian.norm()));
  }
  EXPECT_GT(compared, 600);
}

// Two rods side by side push each other at the middle of what they have in common.
TEST(Proximity, OfParallelSegmentsIsTheMiddleOfTheCommonPart) {
  Corners c;
  c << 0, 4, 3, 7, 0, 0, 1, 1, 0, 0, 0, 0;
  const Proximity p = nearest_of_segments(c);
  EXPECT_DOUBLE_EQ(p.weights[1], -3.5 / 4);
  EXPECT_DOUBLE_EQ(p.weights[3], 0.5 / 4);
}

}  // namespace
}  // namespace stiffly
