// Obstacles push fibres: the force is the derivative of its energy, and batches feel what systems feel.
#include "stiffly/fibres/batch_contact.hpp"

#include <gtest/gtest.h>

#include <random>

#include "fibres/random_fibres.hpp"
#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/fibres/batch_stepper.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::test {
namespace {

using Eigen::Vector3d;

/// Of two obstacles, a ball that rests and a half-space that shakes.
ObstacleRepulsion three_sections(double friction = 0) {
  ContactBalls sections;
  for (const int first : {0, 4, 8})
    sections.all.push_back({.corners = {first, first + 1, first + 2, first + 3}, .count = 4, .radius = 0.05});
  return {{Obstacle(ball({0.1, 0.2, -0.3}, 0.9)),
           Obstacle(half_space({0, 0, -1}, {0.2, 0.1, 1}),
                    std::make_shared<Shake>(Vector3d(1, 2, 3), 0.2, 0.4, 0.7))},
          std::move(sections),
          {2.3, 0.3},
          {friction, 0.31}};
}

struct Places {
  std::vector<double> x, v;
  Configuration at(double t) const { return {t, 12, x, v}; }
};

/// Four particles about each of three centres, of which two are within the range.
Places places() {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> about(-0.2, 0.2);
  Places out;
  for (const Vector3d& centre : {Vector3d(0.3, 1.1, 0.2), Vector3d(-0.8, 0.1, -0.9), Vector3d(3, 3, 3)})
    for (int corner = 0; corner < 4; ++corner)
      for (int d = 0; d < 3; ++d) out.x.push_back(centre[d] + about(random));
  for (std::size_t i = 0; i < out.x.size(); ++i) out.v.push_back(about(random));
  return out;
}

TEST(ObstaclesToSections, ForceIsTheDerivativeOfTheEnergy) {
  const ObstacleRepulsion force = three_sections();
  Places p = places();
  std::vector<double> f(36, 0.0);
  force.add_force(p.at(0.31), f);
  double largest = 0;
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    constexpr double delta = 1e-5;
    const double x = p.x[i];
    p.x[i] = x + delta;
    const double after = force.energy(p.at(0.31));
    p.x[i] = x - delta;
    const double before = force.energy(p.at(0.31));
    p.x[i] = x;
    EXPECT_NEAR(f[i], -(after - before) / (2 * delta), 1e-8);
    largest = std::max(largest, std::abs(f[i]));
    EXPECT_TRUE(i < 24 || f[i] == 0) << "out of range";
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_TRUE(force.depends_on_time());
}

TEST(ObstaclesToSections, WhatAMovingObstacleBringsIsTheDerivativeInTime) {
  const ObstacleRepulsion force = three_sections();
  const Places p = places();
  constexpr double delta = 1e-5;
  for (const double t : {0.31, 0.83, 1.37}) {
    const double rate = (force.energy(p.at(t + delta)) - force.energy(p.at(t - delta))) / (2 * delta);
    EXPECT_GT(std::abs(rate), 1e-3);
    EXPECT_NEAR(force.energy_rate(p.at(t)).value(), rate, 1e-7);
  }
}

TEST(ObstaclesToSections, TangentIsTheDerivativeOfTheForce) {
  for (const double friction : {0.0, 0.37}) {
    ObstacleRepulsion force = three_sections(friction);
    std::vector<std::pair<int, int>> pairs;
    force.add_pairs(12, pairs);
    const auto pattern = BlockPattern::symmetric(12, 3, pairs);
    force.attach(12, *pattern);
    Places p = places();
    Tangent tangent;
    for (BlockMatrix* part : {&tangent.stiffness, &tangent.circulatory, &tangent.damping})
      *part = BlockMatrix(pattern);
    force.add_tangent(p.at(0.31), tangent);
    const auto column = [&](const BlockMatrix& matrix, std::size_t j) {
      std::vector<double> unit(36, 0.0);
      unit[j] = 1;
      Vector product(36);
      matrix.apply(Vector(unit), product);
      return to_host(product);
    };
    const auto slope = [&](double& value) {
      constexpr double delta = 1e-6;
      std::vector<double> before(36, 0.0), after(36, 0.0);
      const double middle = value;
      value = middle + delta;
      force.add_force(p.at(0.31), after);
      value = middle - delta;
      force.add_force(p.at(0.31), before);
      value = middle;
      for (std::size_t i = 0; i < 36; ++i) after[i] = -(after[i] - before[i]) / (2 * delta);
      return after;
    };
    for (std::size_t j = 0; j < p.x.size(); ++j) {
      const std::vector<double> by_place = slope(p.x[j]), by_speed = slope(p.v[j]);
      const std::vector<double> K = column(tangent.stiffness, j), N = column(tangent.circulatory, j),
                                D = column(tangent.damping, j);
      for (std::size_t i = 0; i < 36; ++i) {
        EXPECT_NEAR(K[i] + N[i], by_place[i], 1e-6) << friction << " " << i << " " << j;
        EXPECT_NEAR(D[i], by_speed[i], 1e-6) << friction << " " << i << " " << j;
      }
    }
  }
}

/// A fibre that swings onto a ball beside it, which moves towards it or rests.
MovingFibre against_a_ball(std::size_t number, bool moving, double friction) {
  MovingFibre fibre = random_fibre(number, {.damping_time = 0.002, .drag = 0.5});
  const Vector3d tip = fibre.shape.position.back();
  FibreObstacles obstacles{{}, {0.03, 0.004}, 1e-4, {friction, 0.02}};
  obstacles.obstacles.emplace_back(
      ball(tip + Vector3d(0.007, 0.001, -0.051), 0.05),
      moving ? std::make_shared<Shake>(Vector3d(0, 0, 1), 0.004, 0, 9.0) : nullptr);
  fibre.obstacles = std::make_shared<ObstacleGroups>(ObstacleGroups{obstacles});
  return fibre;
}

std::unique_ptr<ParticleSystem> with_obstacles(const MovingFibre& fibre) {
  auto system = particle_system(fibre);
  for (const FibreObstacles& group : *fibre.obstacles) {
    ContactBalls sections;
    for (int s = 0; s < fibre.shape.segments; ++s)
      sections.all.push_back({{4 * s, 4 * s + 1, 4 * s + 2, 4 * s + 3}, 4, group.radius});
    system->add(
        std::make_unique<ObstacleRepulsion>(group.obstacles, std::move(sections), group.law, group.friction));
  }
  system->finish();
  return system;
}

// At steps of a tenth of a millisecond a batch is where a general method is at a tight tolerance, and second
// order: twice the step, four times the error. Without the obstacle it is elsewhere.
TEST(BatchContact, FibresArePushedAsSystemsAre) {
  for (const bool moving : {false, true})
    for (const double friction : {0.0, 0.37}) {
      const MovingFibre fibre = against_a_ball(8, moving, friction);
      constexpr double duration = 0.0312;
      const auto end = [&](const MovingFibre& f, double step) {
        BatchStepper stepper(FibreBatch(batch_kernels(), {&f, 1}, test_gravity),
                             {.duration = duration, .step = step, .iteration_tolerance = 1e-10});
        BatchWorkspace workspace(stepper.batch().lanes(), stepper.batch().sections());
        stepper.advance(duration, workspace);
        std::vector<double> x = stepper.batch().positions(0);
        x.erase(x.begin(), x.begin() + batch::section_size);
        return Vector(x);
      };
      const auto system = with_obstacles(fibre);
      const auto general =
          make_stepper("bdf3", *system, system->initial_state(), {.duration = duration, .tolerance = 1e-6});
      while (!general->done()) general->advance();
      const auto error = [&](Vector x) {
        axpy(-1.0, general->state().x(), x);
        return norm(x);
      };
      MovingFibre free = fibre;
      free.obstacles = nullptr;
      const double coarse = error(end(fibre, 2.6e-4)), fine = error(end(fibre, 1.3e-4));
      EXPECT_LT(fine, 0.35 * coarse) << friction;
      EXPECT_LT(fine, 0.02 * error(end(free, 1.3e-4))) << friction << ": the obstacle matters";
    }
}

}  // namespace
}  // namespace stiffly::test
