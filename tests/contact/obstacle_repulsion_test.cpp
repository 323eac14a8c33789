// Balls that meet walls: where they turn, how they leave, and what the books say.
#include "stiffly/contact/obstacle_repulsion.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/control/energy_books.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/system/elements.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

const RepulsionLaw wall_law{3700, 0.013};
constexpr double creep = 2e-5;  // v₀ of the slopes, m/s
constexpr double ball_mass = 0.029, ball_radius = 0.0037, ball_speed = 1.3;

ParticleSystem ball_among(std::vector<Obstacle> obstacles, const Point& position, const Point& velocity,
                          const RepulsionLaw& law) {
  ParticleSystem system({{position}, {velocity}, {ball_mass}, {false}});
  system.add(
      std::make_unique<ObstacleRepulsion>(std::move(obstacles), std::vector<double>{ball_radius}, law));
  system.finish();
  return system;
}

/// A ball that flies towards the plane z = 0, obliquely, from a little outside the range.
ParticleSystem flying_ball(const RepulsionLaw& law, std::shared_ptr<const Motion> motion = nullptr) {
  return ball_among({Obstacle(half_space({0, 0, 0}, {0, 0, 1}), std::move(motion))}, {0.1, 0.2, 0.03},
                    {0.4, 0, -ball_speed}, law);
}

struct Bounce {
  double least_gap = 1;
  State end;
  SimulationSummary summary;
};

Bounce bounce(const ParticleSystem& system, const std::string& method, double tolerance, double step = 0) {
  Bounce out;
  const StepPlan plan{.duration = 0.06, .step = step, .tolerance = tolerance};
  const auto stepper = make_stepper(method, system, system.initial_state(), plan);
  SimulationOptions options;
  options.duration = plan.duration;
  options.step = step;
  options.tolerance = tolerance;
  out.summary =
      simulate(*stepper, system.initial_state(), options, [&](const State& state, const SimulationSummary&) {
        out.least_gap = std::min(out.least_gap, host(state.x())[2] - ball_radius);
        return true;
      });
  out.end = stepper->state();
  return out;
}

/// The least gap: κ(d − g)³/(3d) = ½mu².
double turning_gap(const RepulsionLaw& law) {
  return law.range - std::cbrt(1.5 * law.range * ball_mass * ball_speed * ball_speed / law.stiffness);
}

class Bounces : public testing::TestWithParam<const char*> {};

// A frictionless wall takes nothing: the ball leaves as it came, mirrored.
TEST_P(Bounces, LeaveAsTheyCame) {
  const ParticleSystem system = flying_ball(wall_law);
  const Bounce fine = bounce(system, GetParam(), 1e-5);
  EXPECT_NEAR(host(fine.end.v())[2], ball_speed, 0.02 * ball_speed);
  EXPECT_NEAR(host(fine.end.v())[0], 0.4, 1e-9);
  ASSERT_TRUE(fine.summary.contact);
  EXPECT_EQ(fine.summary.contact->deepest, 0);
  EXPECT_EQ(fine.summary.contact->pairs, 1);
  EXPECT_GE(fine.least_gap, turning_gap(wall_law) - 1e-4 * wall_law.range);
  EXPECT_LE(fine.least_gap, turning_gap(wall_law) + 0.1 * wall_law.range);
}

// Each wall of a room turns its own part of the velocity, in an edge as elsewhere.
TEST_P(Bounces, ComeBackOutOfAnEdge) {
  std::vector<Obstacle> room;
  for (auto& wall : walls({0.31, 0, 0.47}, {0.31, 0.53, 0.47})) room.emplace_back(std::move(wall));
  const ParticleSystem system = ball_among(room, {0.029, 0.17, 0.03}, {-1.1, 0.4, -ball_speed}, wall_law);
  const Bounce out = bounce(system, GetParam(), 1e-5);
  EXPECT_NEAR(host(out.end.v())[0], 1.1, 0.02 * ball_speed);
  EXPECT_NEAR(host(out.end.v())[1], 0.4, 1e-9);
  EXPECT_NEAR(host(out.end.v())[2], ball_speed, 0.02 * ball_speed);
  EXPECT_EQ(out.summary.contact->deepest, 0);
  EXPECT_EQ(out.summary.contact->pairs, 2);
}

INSTANTIATE_TEST_SUITE_P(Methods, Bounces,
                         testing::Values("verlet", "rk4", "exprb42", "ros3pl", "energy-momentum",
                                         "energy-exponential", "newmark", "tr-bdf2", "auto"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

// However loose the tolerance, no step jumps over the range from outside.
TEST(ObstacleRepulsion, LimitsStepsUnderATolerance) {
  const ParticleSystem system = flying_ball(wall_law);
  for (const char* method : {"exprb42", "ros3pl", "rk4", "energy-momentum"}) {
    const Bounce loose = bounce(system, method, 0.1);
    EXPECT_EQ(loose.summary.contact->deepest, 0) << method;
    EXPECT_NEAR(host(loose.end.v())[2], ball_speed, 0.25 * ball_speed) << method;
  }
}

// A wall that is too soft lets the ball in, and tells how deep.
TEST(ObstacleRepulsion, TellsHowDeepThingsOverlap) {
  const RepulsionLaw soft{37, 0.013};
  const Bounce slow = bounce(flying_ball(soft), "rk4", 0, 2.3e-4);
  ASSERT_LT(turning_gap(soft), -0.01);
  EXPECT_NEAR(slow.summary.contact->deepest, -turning_gap(soft), 0.01 * -turning_gap(soft));
}

// A wall that moves at w sends a ball back at u + 2w; the energy that it brings is in the books.
TEST(ObstacleRepulsion, OfAMovingWallBringsEnergyThatTheBooksHave) {
  class Advance final : public Motion {
   public:
    void place(double t, std::span<const double> start, std::span<double> x,
               std::span<double> v) const override {
      for (std::size_t i = 0; i < start.size(); ++i) {
        v[i] = i % 3 == 2 ? 0.7 : 0;
        x[i] = start[i] + t * v[i];
      }
    }
  };
  const ParticleSystem system = flying_ball(wall_law, std::make_shared<Advance>());
  EXPECT_FALSE(system.autonomous());
  const auto stepper =
      make_stepper("rk4", system, system.initial_state(), {.duration = 0.06, .step = 0, .tolerance = 1e-6});
  EnergyBooks books(system);
  books.see(stepper->state());
  while (!stepper->done()) {
    stepper->advance();
    books.see(stepper->state());
  }
  const double before = ball_speed, after = ball_speed + 2 * 0.7;
  EXPECT_NEAR(host(stepper->state().v())[2], after, 1e-4);
  const double gain = ball_mass / 2 * (after * after - before * before);
  EXPECT_NEAR(books.totals().fields + books.totals().supports, gain, 1e-3 * gain);
}

/// A block on a plane of that slope, at the height at which the plane carries it, after `duration`.
struct OnSlope {
  double speed, way;  ///< downhill
  double dissipated;
};
OnSlope on_slope(double slope, double friction, double duration) {
  const double weight = 9.81, angle = std::atan(slope);
  const Eigen::Vector3d normal(std::sin(angle), 0, std::cos(angle)),
      downhill(std::cos(angle), 0, -std::sin(angle));
  const double depth = std::sqrt(ball_mass * weight * std::cos(angle) * wall_law.range / wall_law.stiffness);
  const Eigen::Vector3d start = (wall_law.range - depth) * normal;
  ParticleSystem system({{{start[0], start[1], start[2]}}, {{0, 0, 0}}, {ball_mass}, {false}});
  system.add(
      std::make_unique<ObstacleRepulsion>(std::vector<Obstacle>{Obstacle(half_space({0, 0, 0}, normal))},
                                          std::vector<double>{0.0}, wall_law, FrictionLaw{friction, creep}));
  system.add(std::make_unique<Gravity>(Eigen::Vector3d(0, 0, -weight), std::vector<double>{ball_mass}));
  system.finish();
  const auto stepper = make_stepper("tr-bdf2", system, system.initial_state(),
                                    {.duration = duration, .step = 1.1e-4, .tolerance = 0});
  EnergyBooks books(system);
  books.see(stepper->state());
  while (!stepper->done()) {
    stepper->advance();
    books.see(stepper->state());
  }
  const Eigen::Vector3d x = Eigen::Vector3d::Map(host(stepper->state().x()).data());
  const Eigen::Vector3d v = Eigen::Vector3d::Map(host(stepper->state().v()).data());
  return {downhill.dot(v), downhill.dot(x - start), books.totals().all_dissipated()};
}

// Coulomb: it stays where tan θ < μ, but for the creep that the law has, and slides beyond with
// g (sin θ − μ cos θ).
TEST(ObstacleRepulsion, LetsABlockSlideFromTheSlopeOnThatFrictionAllows) {
  const double mu = 0.37, duration = 0.9;
  const OnSlope below = on_slope(0.99 * mu, mu, duration);
  // There T(w) = 0.99, so that w = v₀ 0.99/√(1 − 0.99²).
  EXPECT_LT(below.way, 1.01 * duration * creep * 0.99 / std::sqrt(1 - 0.99 * 0.99));
  for (const double slope : {1.01 * mu, 1.3 * mu, 3 * mu}) {
    const double angle = std::atan(slope), acceleration = 9.81 * (std::sin(angle) - mu * std::cos(angle));
    const OnSlope beyond = on_slope(slope, mu, duration);
    // Up to some 10 v₀ the law holds it less than Coulomb's.
    EXPECT_NEAR(beyond.speed, acceleration * duration, 0.01 * acceleration * duration + 10 * creep) << slope;
    EXPECT_NEAR(beyond.way, acceleration * duration * duration / 2,
                0.01 * acceleration * duration * duration / 2 + 10 * creep * duration)
        << slope;
    const double heat = mu * ball_mass * 9.81 * std::cos(angle) * beyond.way;
    EXPECT_NEAR(beyond.dissipated, heat, 0.02 * heat + 1e-6) << slope;
  }
}

TEST(ObstacleRepulsion, RefusesNumbersThatMeanNothing) {
  const std::vector<Obstacle> wall{Obstacle(half_space({0, 0, 0}, {0, 0, 1}))};
  EXPECT_THROW(ObstacleRepulsion(wall, {0.1, -0.1}, wall_law), InputError);
  EXPECT_THROW(ObstacleRepulsion(wall, {NAN}, wall_law), InputError);
  EXPECT_THROW(ObstacleRepulsion(wall, {0.1}, {0, 0.1}), InputError);
  EXPECT_THROW(ObstacleRepulsion(wall, {0.1}, wall_law, {-0.1, 1}), InputError);
  EXPECT_THROW(ObstacleRepulsion(wall, {0.1}, wall_law, {0.1, 0}), InputError);
  EXPECT_THROW(ObstacleRepulsion(wall, {0.1}, {1, INFINITY}), InputError);
}

}  // namespace
}  // namespace stiffly
