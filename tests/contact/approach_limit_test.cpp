// How long steps may be beside obstacles: found by a march in small steps of time.
#include "stiffly/contact/approach_limit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/contact/low_points.hpp"

namespace stiffly::test {
namespace {

using Eigen::Vector3d;

/// Along x, from rest: it begins at 0.7 s, and takes 0.31 s for 0.83 m.
class LateDash final : public Motion {
 public:
  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    const double s = std::clamp((t - 0.7) / 0.31, 0.0, 1.0);
    std::copy(start.begin(), start.end(), x.begin());
    std::fill(v.begin(), v.end(), 0.0);
    for (std::size_t i = 0; i < x.size(); i += 3) {
      x[i] += 0.83 * s * s * (3 - 2 * s);
      v[i] = 0.83 * 6 * s * (1 - s) / 0.31;
    }
  }
};

constexpr double margin = 0.0031, radius = 0.0017;

double gap_at(const Obstacle& obstacle, double time, const Vector3d& x) {
  return obstacle.at(time).within(1e9, x)->value - radius;
}

TEST(ApproachLimit, OfARestingWallIsWhereTheMarginBegins) {
  const std::vector<Obstacle> wall = {Obstacle(half_space({0, 0, 0}, {0, 0, 1}))};
  const ApproachLimit limit(wall, 0, 1, margin);
  const Vector3d v(0.2, -0.1, -0.37);
  EXPECT_NEAR(limit.longest_step({0, 0, 0.11}, v, radius, 1), (0.11 - radius - margin) / 0.37, 1e-12);
  EXPECT_NEAR(limit.longest_step({0, 0, radius + 0.4 * margin}, v, radius, 1), margin / 0.37, 1e-12);
  EXPECT_EQ(limit.longest_step({0, 0, 0.11}, -v, radius, 1), 1);
  EXPECT_EQ(limit.longest_step({0, 0, 0.51}, v, radius, 1), 1);
}

// A thin plate dashes through a thing that is at rest, as the plate is when the step begins.
TEST(ApproachLimit, SeesObstaclesThatOnlyBeginToMove) {
  const std::vector<Obstacle> plate = {
      Obstacle(cuboid({-0.41, 0, 0}, {0.004, 0.3, 0.3}), std::make_shared<LateDash>())};
  for (const double h : {0.4, 0.9, 3.1}) {
    const ApproachLimit limit(plate, 0.13, h, margin);
    const double longest = limit.longest_step({0, 0.01, 0.02}, {0, 0, 0}, radius, h);
    if (h < 0.5) {
      EXPECT_EQ(longest, h) << "it has not begun by then";
      continue;
    }
    EXPECT_LT(longest, 0.9 - 0.13);
    EXPECT_GT(longest, 0.7 - 0.13) << "nor is it feared before it moves";
    for (double t = 0; t <= longest; t += 1e-4)
      ASSERT_GT(gap_at(plate[0], 0.13 + t, {0, 0.01, 0.02}), 0.5 * margin);
  }
  const ApproachLimit limit(plate, 0.13, 3.1, margin);
  EXPECT_EQ(limit.longest_step({0, 0.4, 0.02}, {0, 0, 0}, radius, 3.1), 3.1) << "it passes by";
}

// What lies on a table that turns does not come nearer by that.
TEST(ApproachLimit, LetsThingsSlide) {
  const auto turn = std::make_shared<KeyframeMotion>(
      std::vector<Keyframe>{{.time = 0}, {.time = 10, .rotation = {0, 0, 30}}}, Vector3d(0, 0, 0));
  const std::vector<Obstacle> table = {Obstacle(half_space({0, 0, 0}, {0, 0, 1}), turn)};
  const ApproachLimit limit(table, 4.3, 0.1, margin);
  EXPECT_EQ(limit.longest_step({0.3, 0.1, radius + 0.7 * margin}, {0, 0, 0}, radius, 0.1), 0.1);
}

TEST(LowPoints, AreWhereBruteForceFindsThem) {
  const Obstacle shapes[] = {Obstacle(ball({0.1, 0.2, -0.3}, 0.9)),
                             Obstacle(capsule({-0.7, 0.3, 0.2}, {-0.4, 0.9, 0.8}, 0.3)),
                             Obstacle(cuboid({0.1, 0, -0.1}, {0.5, 0.31, 0.7}))};
  int found = 0;
  for (const Obstacle& obstacle : shapes)
    for (int k = 0; k < 200; ++k) {
      const auto at = [&](double a, double b) {
        return Vector3d(1.7 * std::sin(a * k + 1), 1.7 * std::sin(b * k + 2), 1.7 * std::cos((a + b) * k));
      };
      const Vector3d from = at(1.3, 2.9), to = at(3.1, 0.7);
      const PlacedShape shape = obstacle.at(0);
      const double reach = 0.13;
      double least = 1e9, where = 0, low = 1e9;
      constexpr int parts = 4000;
      for (int i = 0; i <= parts; ++i) {
        const double s = static_cast<double>(i) / parts;
        const double d = shape.within(1e9, from + s * (to - from))->value;
        if (d < least) least = d, where = s;
      }
      const double from_ends = reach + (to - from).norm();
      const auto first = shape.within(from_ends, from), last = shape.within(from_ends, to);
      LowPoints(shape, reach).between(from, to, first, last, [&](double s, const Distance& d) {
        EXPECT_LT(d.value, reach);
        EXPECT_NEAR(shape.within(1e9, from + s * (to - from))->value, d.value, 1e-12);
        low = std::min(low, d.value);
      });
      if (least < reach && where > 0 && where < 1) {
        EXPECT_NEAR(low, least, 1e-3) << k;
        EXPECT_LT(low, least + 1e-9) << k;
        ++found;
      } else if (least >= reach) {
        EXPECT_EQ(low, 1e9) << k;
      }
    }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace stiffly::test
