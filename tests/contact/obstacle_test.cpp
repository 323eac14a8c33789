// Obstacles that move: where they are, and how fast their material goes.
#include "stiffly/contact/obstacle.hpp"

#include <gtest/gtest.h>

#include "contact/bodies.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

Obstacle turning_box() {
  const auto motion = std::make_shared<KeyframeMotion>(
      std::vector<Keyframe>{{.time = 0.1},
                            {.time = 0.7, .shift = {0.3, -1.1, 0.2}, .rotation = {0.4, 2.1, -0.3}},
                            {.time = 1.9, .shift = {-0.2, 0.4, 0.9}, .rotation = {1.4, 3.7, 0.2}}},
      Vector3d(0.3, 0.1, -0.2));
  return Obstacle(cuboid({0.2, 0.1, 0.3}, {0.4, 0.7, 0.9}), motion);
}

/// Where material goes that is at x at first.
Vector3d carried(const Obstacle& obstacle, const Vector3d& x, double from, double to) {
  constexpr int steps = 400;  // Runge-Kutta along the velocities that it says it has
  Vector3d y = x;
  const double h = (to - from) / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = from + i * h;
    const Vector3d a = obstacle.at(t).velocity(y), b = obstacle.at(t + h / 2).velocity(y + h / 2 * a),
                   c = obstacle.at(t + h / 2).velocity(y + h / 2 * b),
                   d = obstacle.at(t + h).velocity(y + h * c);
    y += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return y;
}

TEST(Obstacle, KeepsItsDistanceFromWhatMovesWithIt) {
  const Obstacle box = turning_box();
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Vector3d x = test::random_point(random);
    const Vector3d later = carried(box, x, 0.1, 1.3);  // steps end at keyframes, where accelerations jump
    EXPECT_GT((later - x).norm(), 0.1);
    EXPECT_NEAR(box.at(1.3).within(10, later)->value, box.at(0.1).within(10, x)->value, 1e-8);
  }
}

TEST(Obstacle, TurnsDerivativesToo) {
  const Obstacle box = turning_box();
  const PlacedShape placed = box.at(1.1);
  std::mt19937 random(5);
  int compared = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3d x = placed.velocity({0, 0, 0}) + test::random_point(random, 2);
    const Distance d = *placed.within(100, x);
    if (d.value < 0.1) continue;
    const double delta = 1e-5;
    for (Eigen::Index i = 0; i < 3; ++i) {
      const Distance up = *placed.within(100, x + delta * Vector3d::Unit(i));
      const Distance down = *placed.within(100, x - delta * Vector3d::Unit(i));
      EXPECT_NEAR((up.value - down.value) / (2 * delta), d.gradient[i], 1e-4);
      if ((up.hessian - down.hessian).norm() > 0.01) continue;  // another face, edge or corner
      EXPECT_LT(((up.gradient - down.gradient) / (2 * delta) - d.hessian.col(i)).norm(), 1e-5);
      ++compared;
    }
  }
  EXPECT_GT(compared, 200);
}

TEST(Obstacle, RestsWithoutAMotion) {
  const Obstacle rests(ball({1, 2, 3}, 0.5));
  EXPECT_FALSE(rests.moves());
  EXPECT_TRUE(turning_box().moves());
  EXPECT_EQ(rests.at(3.3).velocity({5, 5, 5}), Vector3d(0, 0, 0));
  EXPECT_DOUBLE_EQ(rests.at(7.7).within(10, {1, 2, 5})->value, 1.5);
}

}  // namespace
}  // namespace stiffly
