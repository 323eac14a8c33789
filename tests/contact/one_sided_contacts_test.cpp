// Contact within the iteration that has strains as unknowns: what it costs, what it keeps, and that it is the
// same law as the force.
#include "stiffly/contact/one_sided_contacts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stiffly/contact/body_repulsion.hpp"
#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/system/mixed_force.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

const RepulsionLaw some_law{4100, 0.013};

TEST(MeanPush, IsTheChangeOfTheEnergyOverThatOfTheGap) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> any(-0.011, 0.027);
  for (int trial = 0; trial < 300; ++trial) {
    const double start = any(random), end = any(random);
    const MeanPush law{some_law, true, 0.5, start};
    EXPECT_NEAR(law.push(end) * (end - start), some_law.energy(start) - some_law.energy(end), 1e-14) << trial;
    const double delta = 1e-8;
    EXPECT_NEAR(law.tangent(end), (law.push(end - delta) - law.push(end + delta)) / (2 * delta),
                1e-4 * some_law.stiffness)
        << trial;
  }
  EXPECT_NEAR((MeanPush{some_law, true, 0.5, 0.004}).push(0.004), some_law.push(0.004), 1e-12);
}

TEST(MeanPush, IsSolvedWhateverThingsGiveWay) {
  std::mt19937 random(23);
  std::uniform_real_distribution<double> any(-0.05, 0.03), logarithm(-9, 3);
  for (int trial = 0; trial < 600; ++trial) {
    const bool step = trial % 3 > 0;
    const MeanPush law{some_law, step, trial % 3 == 1 ? 0.5 : 0.6, any(random)};
    const double right = any(random), give = std::pow(10, logarithm(random)), gap = law.solve(right, give);
    const double scale = std::abs(right) + std::abs(gap) + give * law.push(gap);
    EXPECT_NEAR(gap - give * law.push(gap), right, 1e-11 * scale) << trial;
    const FrictionLaw friction{0.37, 2e-3};
    const double held = std::pow(10, logarithm(random));
    const double slip = solve_slip(friction, std::abs(right), held, give);
    EXPECT_NEAR(slip * (1 + give * held * grip(friction, slip)), std::abs(right), 1e-12 * std::abs(right));
  }
}

struct Draped {
  std::unique_ptr<ParticleSystem> system;
  double energy = 0;  ///< that it has to spend: what it falls by
};

/// A chain that falls across a ball; `pairs`: a ball of one thick particle of a body, else an obstacle.
Draped draped_chain(ContactResponse response, double stiffness, double friction, bool pairs,
                    double contact_stiffness = 7300) {
  constexpr int count = 17;
  constexpr double link = 0.021, mass = 0.0103, ball_radius = 0.11, thickness = 0.002;
  Particles p;
  for (int i = 0; i < count; ++i) {
    p.position.push_back({link * (i - (count - 1) / 2.0) + 0.007, 0.004 * std::sin(2.1 * i),
                          ball_radius + 0.023 + 0.003 * std::cos(1.3 * i)});
    p.velocity.push_back({0, 0, -0.3});
    p.mass.push_back(mass);
    p.pinned.push_back(false);
  }
  p.position.push_back({0, 0, 0});
  p.velocity.push_back({0, 0, 0});
  p.mass.push_back(1);
  p.pinned.push_back(true);
  Draped out{std::make_unique<ParticleSystem>(p), mass * count * 9.81 * 0.1};
  std::vector<Spring> springs;
  for (int i = 0; i + 1 < count; ++i) {
    const auto at = [&](int k) { return Vector3d::Map(p.position[static_cast<std::size_t>(k)].data()); };
    springs.push_back({i, i + 1, stiffness, (at(i) - at(i + 1)).norm()});
  }
  const RepulsionLaw law{contact_stiffness, 0.0071};
  out.system->add(std::make_unique<Springs>(springs, p.size()));
  out.system->add(std::make_unique<Gravity>(Vector3d(0, 0, -9.81), p.mass));
  if (pairs) {
    ContactBodies bodies;
    for (int i = 0; i <= count; ++i) {
      bodies.nodes.push_back({{i}});
      bodies.elements.push_back({{i, -1, -1}, i < count ? thickness : ball_radius - thickness});
      bodies.body.push_back(i < count ? 0 : 1);
    }
    bodies.themselves = false;
    out.system->add(std::make_unique<BodyRepulsion>(bodies, out.system->start_positions(), law,
                                                    FrictionLaw{friction, 0.01}, response));
  } else {
    out.system->add(std::make_unique<ObstacleRepulsion>(
        std::vector<Obstacle>{Obstacle(ball({0, 0, 0}, ball_radius - thickness))},
        std::vector<double>(p.size(), thickness), law, FrictionLaw{friction, 0.01}, response));
  }
  out.system->finish();
  return out;
}

struct Cost {
  double factors = 0, solves = 0;  ///< per step in contact
  double drift = 0;                ///< largest change of the energy
  State end;
};

Cost cost(const Draped& scene, const std::string& method, double step, const std::string& newton = "mixed",
          double duration = 0.23) {
  Cost out;
  IntegratorOptions options;
  options.newton = newton;
  const ParticleSystem& system = *scene.system;
  const State start = system.initial_state();
  const auto stepper = make_stepper(method, system, start, {.duration = duration, .step = step}, options);
  long touching = 0;
  const double energy = system.energy(start);
  while (!stepper->done()) {
    const Counters before = system.counters();
    stepper->advance();
    out.drift = std::max(out.drift, std::abs(system.energy(stepper->state()) - energy));
    if (system.touch(stepper->state())->pairs == 0) continue;
    ++touching;
    out.factors += static_cast<double>(system.counters().factorization - before.factorization);
    out.solves += static_cast<double>(system.counters().solve - before.solve);
  }
  EXPECT_GT(touching, 10);
  out.factors /= static_cast<double>(touching);
  out.solves /= static_cast<double>(touching);
  out.end = stepper->state();
  return out;
}

// Counted: fewer factors than by the same law as a force, far fewer where it is stiff or rubs.
TEST(OneSidedContacts, TakeFewFactors) {
  for (const bool pairs : {false, true}) {
    double ours = 0, theirs = 0;
    int blown_up = 0;
    for (const double friction : {0.0, 0.33})
      for (const double law : {7.3e3, 1.7e5})
        for (const double h : {0.0013, 0.0037}) {
          const Cost mixed =
              cost(draped_chain(ContactResponse::mixed, 3e5, friction, pairs, law), "energy-momentum", h);
          Cost force;
          try {
            force = cost(draped_chain(ContactResponse::repulsion, 3e5, friction, pairs, law),
                         "energy-momentum", h);
          } catch (const SimulationError&) {  // taken at the middle, the force of an obstacle brings energy
            ++blown_up;
            continue;
          }
          const std::string name = std::string(pairs ? "pairs" : "obstacle") + ", friction " +
                                   std::to_string(friction) + ", law " + std::to_string(law) + ", h " +
                                   std::to_string(h);
          RecordProperty(name, std::to_string(mixed.factors) + " F " + std::to_string(mixed.solves) +
                                   " S, as a force " + std::to_string(force.factors) + " F " +
                                   std::to_string(force.solves) + " S");
          EXPECT_LT(mixed.factors, 1.1 * force.factors) << name;
          ours += mixed.factors;
          theirs += force.factors;
        }
    EXPECT_LT(ours, 0.6 * theirs);
    EXPECT_LE(blown_up, 2);
  }
}

TEST(OneSidedContacts, TakeFewerFactorsThanNewtonsMethodInStages) {
  for (const char* method : {"backward-euler", "tr-bdf2"}) {
    const double h = 0.0023;
    const Cost mixed = cost(draped_chain(ContactResponse::mixed, 3e5, 0.33, false), method, h);
    const Cost newton =
        cost(draped_chain(ContactResponse::mixed, 3e5, 0.33, false), method, h, "line-search");
    EXPECT_LT(mixed.factors, 0.5 * newton.factors) << method;
    Vector difference = mixed.end.y;
    axpy(-1.0, newton.end.y, difference);
    EXPECT_LT(norm(difference), 1e-3 * norm(newton.end.y)) << method;  // the same stages
  }
}

TEST(OneSidedContacts, NeitherMakeNorLoseEnergy) {
  for (const bool pairs : {false, true})
    for (const double stiffness : {3e4, 3e7}) {
      const Draped scene = draped_chain(ContactResponse::mixed, stiffness, 0, pairs);
      const Cost run = cost(scene, "energy-momentum", 0.0017);
    }
}

// At small steps there is one answer, whatever was done about contact: it is that of an explicit method.
TEST(OneSidedContacts, EndWhereTheForceEnds) {
  for (const bool pairs : {false, true}) {
    const double duration = 0.11;
    const State fine =
        cost(draped_chain(ContactResponse::repulsion, 3e3, 0.33, pairs), "rk4", 7e-6, "mixed", duration).end;
    const auto error = [&](ContactResponse response, double h) {
      Vector difference =
          cost(draped_chain(response, 3e3, 0.33, pairs), "energy-momentum", h, "mixed", duration).end.y;
      axpy(-1.0, fine.y, difference);
      return norm(difference.part(0, fine.unknowns())) / norm(fine.x());
    };
    const double coarse = error(ContactResponse::mixed, 2e-4), finer = error(ContactResponse::mixed, 5e-5);
    EXPECT_LT(finer, 1e-4);
    EXPECT_LT(finer, 0.15 * coarse);
  }
}

// Nothing is known of contacts before an iteration has begun: whoever asks hears of it.
TEST(OneSidedContacts, AreNotAskedBeforeTheyBegin) {
  ParticleSystem system({{{0.1, 0.2, 0.0041}}, {{0, 0, -0.3}}, {0.029}, {false}});
  system.add(
      std::make_unique<ObstacleRepulsion>(std::vector<Obstacle>{Obstacle(half_space({0, 0, 0}, {0, 0, 1}))},
                                          std::vector<double>{0.0037}, RepulsionLaw{310, 0.0011}));
  system.finish();
  const State state = system.initial_state();
  const std::unique_ptr<MixedForce> mixed = system.mixed_force();
  const ForcePath path{.time = 0, .x = state.x(), .v = state.v()};
  std::vector<double> strain(mixed->strains()), gap(strain.size());
  Vector f(3);
  Tangent tangent;
  EXPECT_THROW(mixed->force(path, strain, gap, f), InputError);
  EXPECT_THROW(mixed->freeze(path, strain, tangent), InputError);
  mixed->begin(path, 1e-6, 1e-3);
  mixed->force(path, strain, gap, f);
  EXPECT_GT(f.data()[2], 0);
}

}  // namespace
}  // namespace stiffly
