// Contact that is projected away at the end of steps, against what theory knows.
#include "stiffly/contact/contact_projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stiffly/contact/body_repulsion.hpp"
#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/fibre.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/forces/springs.hpp"
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

struct ProjectedRun {
  State end;
  ProjectionReport report;
};

ProjectedRun run_projected(const ParticleSystem& system, const std::shared_ptr<ContactProjection>& projection,
                           const char* method, double duration, double step) {
  IntegratorOptions options;
  options.projection = projection;
  const auto stepper =
      make_stepper(method, system, system.initial_state(), {.duration = duration, .step = step}, options);
  ProjectionReport report;
  while (!stepper->done()) report += stepper->advance().projection.value();
  return {stepper->state(), report};
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
  const auto [end, report] = run_projected(system, projection, GetParam(), 0.087, 0.0031);
  const auto v = host(end.v());
  const double mean = (0.9 * m - 0.4 * M) / (m + M);
  EXPECT_NEAR(v[0], mean - e * u * M / (m + M), 1e-9);
  EXPECT_NEAR(v[3], mean + e * u * m / (m + M), 1e-9);
  EXPECT_NEAR(v[1], 0.1, 1e-12);
  EXPECT_NEAR(report.taken, 0.5 * m * M / (m + M) * u * u * (1 - e * e), 1e-9);
  EXPECT_EQ(report.contacts, 1);
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
    return run_projected(system, projection, method, duration, 0.0023).end;
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

/// Rods side by side, each a little inside its neighbours and all bent by that.
struct Bundle {
  std::unique_ptr<ParticleSystem> system;
  std::shared_ptr<BodyRepulsion> contacts;

  explicit Bundle(double thickness, double young) {
    std::mt19937 random(71);
    std::uniform_real_distribution<double> aside(-0.2, 0.2);
    constexpr int segments = 8;
    Particles p;
    std::vector<Spring> springs;
    std::vector<double> apart;
    ContactBodies bodies;
    for (int i = 0; i < 19; ++i) {
      CentreLine line;
      const Vector3d place =
          thickness * Vector3d(0.8 * (i % 5) + aside(random), 0.8 * (i / 5) + aside(random), 0);
      for (int s = 0; s <= segments; ++s) {
        line.points.push_back(place + Vector3d(0, 0, 0.0123 * s));
        line.thickness.push_back(thickness);
      }
      const FibreShape shape = make_fibre(line, {.young = young, .torsion = young / 3.6, .density = 1320});
      const int first = static_cast<int>(p.size());
      for (Spring s : shape.springs) {
        s.first += first;
        s.second += first;
        springs.push_back(s);
      }
      for (std::size_t k = 0; k < shape.mass.size(); ++k) {
        const Vector3d& x = shape.position[k];
        p.position.push_back({x.x(), x.y(), x.z()});
        p.velocity.push_back({0, 0, 0});
        p.mass.push_back(shape.mass[k]);
        p.pinned.push_back(false);
        apart.insert(apart.end(), {x.x() + i, x.y(), x.z()});
      }
      for (int s = 0; s <= segments; ++s) {
        const int node = static_cast<int>(bodies.nodes.size()), corner = first + 4 * s;
        bodies.nodes.push_back({{corner, corner + 1, corner + 2, corner + 3}});
        bodies.body.push_back(i);
        if (s > 0) bodies.elements.push_back({{node - 1, node, -1}, thickness / 2});
      }
    }
    bodies.themselves = false;
    system = std::make_unique<ParticleSystem>(p);
    system->add(std::make_unique<Springs>(springs, p.size()));
    system->finish();
    contacts = std::make_shared<BodyRepulsion>(bodies, apart, RepulsionLaw{1, thickness});
  }
};

// Put apart by masses alone, rods are bent wherever they touch; by their stiffness, they rather move as a
// whole.
TEST(ContactProjection, DeformsABundleLessByItsStiffness) {
  for (const auto& [thickness, young] : {std::pair(9e-5, 3.6e9), std::pair(1.1e-3, 2.3e8)}) {
    const Bundle bundle(thickness, young);
    const State from = bundle.system->initial_state();
    std::array<double, 2> brought = {};
    for (const auto measure : {ProjectionMeasure::mass, ProjectionMeasure::stiffness}) {
      const ProjectionLaw law{.depth = 0.01 * thickness, .measure = measure};
      ContactProjection projection(*bundle.system, law);
      projection.add(bundle.contacts, bundle.contacts->source());
      State to = from;
      to.time = 0.0013;
      const ProjectionReport report = projection.project(from, to);
      EXPECT_GT(report.contacts, 10);
      EXPECT_LE(report.deepest, law.depth);
      EXPECT_NEAR(-report.taken, bundle.system->energy(to), 1e-9 * bundle.system->energy(to));
      brought[measure == ProjectionMeasure::stiffness] = bundle.system->energy(to);
    }
    RecordProperty("ratio", std::to_string(brought[0] / brought[1]));
    EXPECT_GT(brought[0], 15 * brought[1]);
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
