// Contact that is projected away at the end of steps, against what theory knows.
#include "stiffly/contact/contact_projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stiffly/contact/body_repulsion.hpp"
#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr double projected_depth = 3e-6;

std::shared_ptr<BodyRepulsion> balls(std::size_t count, double radius, std::span<const double> apart) {
  ContactBodies bodies;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    bodies.nodes.push_back({{i}});
    bodies.elements.push_back({{i, -1, -1}, radius});
    bodies.body.push_back(i);
  }
  return std::make_shared<BodyRepulsion>(bodies, apart, RepulsionLaw{1, projected_depth});
}

State end_of_projected(const ParticleSystem& system, const std::shared_ptr<ContactProjection>& projection,
                       const char* method, double duration, double step) {
  IntegratorOptions options;
  options.projection = projection;
  const auto stepper =
      make_stepper(method, system, system.initial_state(), {.duration = duration, .step = step}, options);
  while (!stepper->done()) stepper->advance();
  stepper->save();  // the last step counts
  return stepper->state();
}

// A crowd of balls that overlap, of very different masses: put apart, without momentum or energy from
// nowhere.
TEST(ContactProjection, PutsACrowdApartAndKeepsItsMomentum) {
  std::mt19937 random(31);
  std::normal_distribution<double> place(0, 0.05), speed(0, 1.3);
  std::uniform_real_distribution<double> exponent(-3, 0);
  constexpr std::size_t count = 43;
  for (const double friction : {0.0, 0.7}) {
    Particles p;
    std::vector<double> apart;
    for (std::size_t i = 0; i < count; ++i) {
      p.position.push_back({place(random), place(random), place(random)});
      p.velocity.push_back({speed(random), speed(random), speed(random)});
      p.mass.push_back(std::pow(10, exponent(random)));
      p.pinned.push_back(false);
      apart.insert(apart.end(), {static_cast<double>(i), 0, 0});
    }
    const ParticleSystem system = [&] {
      ParticleSystem out(p);
      out.finish();
      return out;
    }();
    ContactProjection projection(system, {friction, 0.4, projected_depth});
    const auto force = balls(count, 0.017, apart);
    projection.add(force, force->source());
    const double h = 0.0071;
    const State from = system.initial_state();
    State to = from;
    to.time = h;
    axpy(h, from.v(), to.x());
    const auto momentum = [&](const State& s) { return system.momentum(s).linear; };
    const double scale = 43 * 1.3;
    const Vector3d before = momentum(to);
    const ProjectionReport report = projection.project(from, to);
    EXPECT_GT(report.contacts, 15);
    EXPECT_LE(report.deepest, projected_depth);
    EXPECT_LT((momentum(to) - before).norm(), 1e-14 * scale);
    EXPECT_GT(report.taken, 0);
    EXPECT_LE(system.kinetic_energy(to.v()), system.kinetic_energy(from.v()));
    // Where they are, they are apart: counted by hand.
    const auto x = host(to.x());
    double least = 1;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j)
        least = std::min(least, (Vector3d::Map(x.data() + 3 * i) - Vector3d::Map(x.data() + 3 * j)).norm());
    EXPECT_GE(least, 2 * 0.017 - projected_depth);
  }
}

class ProjectedMethods : public testing::TestWithParam<const char*> {};

// Two balls head on: they part at e times the speed at which they met; the energy is that of theory.
TEST_P(ProjectedMethods, SendTwoBallsApartAtTheirRestitution) {
  const double m = 0.017, M = 0.041, u = 1.3, e = 0.63, radius = 0.0041;
  ParticleSystem system(
      {{{-0.03, 0, 0}, {0.02, 0, 0}}, {{0.9, 0.1, 0}, {-0.4, 0.1, 0}}, {m, M}, {false, false}});
  system.finish();
  const auto projection = std::make_shared<ContactProjection>(system, ProjectionLaw{0, e, projected_depth});
  const auto force = balls(2, radius, system.start_positions());
  projection->add(force, force->source());
  const State end = end_of_projected(system, projection, GetParam(), 0.087, 0.0031);
  const auto v = host(end.v());
  const double mean = (0.9 * m - 0.4 * M) / (m + M);
  EXPECT_NEAR(v[0], mean - e * u * M / (m + M), 1e-9);
  EXPECT_NEAR(v[3], mean + e * u * m / (m + M), 1e-9);
  EXPECT_NEAR(v[1], 0.1, 1e-12);
  EXPECT_NEAR(projection->report().taken, 0.5 * m * M / (m + M) * u * u * (1 - e * e), 1e-9);
  EXPECT_EQ(projection->report().contacts, 1);
}

INSTANTIATE_TEST_SUITE_P(Registered, ProjectedMethods,
                         testing::Values("verlet", "rk4", "exprb42", "ros3pl", "bdf3", "energy-momentum",
                                         "tr-bdf2"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

// A block on an incline, seen from the incline: Coulomb's law, to within a percent of its angle.
TEST(ContactProjection, HoldsOnASlopeUpToTheAngleOfFriction) {
  const double mu = 0.43, duration = 0.37;
  const auto slide = [&](double slope, const char* method) {
    const double angle = std::atan(slope);
    ParticleSystem system({{{0.1, 0.2, 0.0037}}, {{0, 0, 0}}, {0.029}, {false}});
    system.add(std::make_unique<Gravity>(9.81 * Vector3d(std::sin(angle), 0, -std::cos(angle)),
                                         std::vector<double>{0.029}));
    system.finish();
    const auto projection =
        std::make_shared<ContactProjection>(system, ProjectionLaw{mu, 0, projected_depth});
    const auto floor =
        std::make_shared<ObstacleRepulsion>(std::vector<Obstacle>{Obstacle(half_space({0, 0, 0}, {0, 0, 1}))},
                                            std::vector<double>{0.0037}, RepulsionLaw{1, projected_depth});
    projection->add(floor, floor->source());
    return end_of_projected(system, projection, method, duration, 0.0023);
  };
  for (const char* method : {"verlet", "rk4", "tr-bdf2"}) {
    const State held = slide(0.99 * mu, method);
    EXPECT_LT(std::abs(host(held.v())[0]), 1e-9) << method;
    EXPECT_NEAR(host(held.x())[0], 0.1, 1e-9) << method;
    for (const double slope : {1.01 * mu, 1.7 * mu}) {
      const double acceleration = 9.81 * (slope - mu) / std::hypot(1, slope);
      EXPECT_NEAR(host(slide(slope, method).v())[0], acceleration * duration, 0.01 * acceleration * duration)
          << method << slope;
    }
  }
}

TEST(ContactProjection, RefusesNumbersThatMakeNoSense) {
  ParticleSystem system({{{0, 0, 0}}, {{0, 0, 0}}, {1}, {false}});
  system.finish();
  EXPECT_THROW(ContactProjection(system, {0, 1.1, 1e-6}), InputError);
  EXPECT_THROW(ContactProjection(system, {-0.1, 0, 1e-6}), InputError);
  EXPECT_THROW(ContactProjection(system, {0, 0, 0}), InputError);
}

}  // namespace
}  // namespace stiffly
