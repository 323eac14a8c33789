// Springs that yield, against loads taken step by tiny step and against what energy says.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stiffly/control/simulation.hpp"
#include "stiffly/forces/girders.hpp"
#include "stiffly/forces/plastic_spring.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

PlasticSpring some_spring() {
  return {Spring{.first = 0, .second = 1, .stiffness = 3.7e4, .rest_length = 0.83},
          PlasticLaw{.yield = 0.013, .hardening = 0.23}};
}

void stretch_to(PlasticSpring& s, double stretch) {
  const double flow = s.flow_at(stretch);
  s.set += flow;
  s.flow += std::abs(flow);
}

/// The textbook's way: small loads, each of which flows as far as it is beyond the yield force. Its work is
/// the sum of tension times way.
struct SlowLoad {
  double k, yield, hardening, set = 0, flow = 0, stretch = 0, work = 0;

  double tension() const { return k * (stretch - set); }
  void go_to(double end) {
    constexpr int loads = 20000;
    const double way = (end - stretch) / loads;
    for (int i = 0; i < loads; ++i) {
      const double before = tension();
      stretch += way;
      if (const double beyond = std::abs(tension()) - yield - hardening * flow; beyond > 0) {
        const double direction = tension() > 0 ? 1 : -1;
        set += direction * beyond / (k + hardening);
        flow += beyond / (k + hardening);
      }
      work += 0.5 * (before + tension()) * way;
    }
  }
};

TEST(PlasticSpring, FollowsLoadsOfAnySizeAsTinyOnes) {
  PlasticSpring s = some_spring();
  SlowLoad slow{s.stiffness, s.yield, s.hardening};
  for (const double stretch : {0.007, 0.031, 0.023, 0.047, -0.019, -0.083, 0.011, 0.13}) {
    slow.go_to(stretch);
    EXPECT_NEAR(tension(s, stretch), slow.tension(), 1e-9 * s.yield) << stretch;
    const double energy = stored_energy(s, stretch);
    stretch_to(s, stretch);
    EXPECT_NEAR(s.set, slow.set, 1e-12) << stretch;
    EXPECT_NEAR(s.flow, slow.flow, 1e-12) << stretch;
    EXPECT_NEAR(tension(s, stretch), slow.tension(), 1e-9 * s.yield) << "a jump of the tension";
    EXPECT_NEAR(stored_energy(s, stretch), energy, 1e-12 * energy) << "a jump of the energy";
    EXPECT_NEAR(energy, slow.work, 1e-7 * slow.work) << stretch;
  }
}

TEST(PlasticSpring, HasTheMeanTensionOfItsEnergy) {
  PlasticSpring s = some_spring();
  stretch_to(s, 0.029);
  for (const double a : {-0.09, -0.011, 0.0, 0.017, 0.029, 0.07})
    for (const double b : {-0.083, -0.0113, 0.0171, 0.031, 0.11}) {
      EXPECT_NEAR(mean_tension(s, a, b), (stored_energy(s, b) - stored_energy(s, a)) / (b - a),
                  1e-7 * s.yield)
          << a << " to " << b;
      const double d = 1e-6;
      EXPECT_NEAR(mean_tension_rate(s, a, b),
                  (mean_tension(s, a, b + d) - mean_tension(s, a, b - d)) / (2 * d), 1e-4 * s.stiffness)
          << a << " to " << b;
    }
  EXPECT_EQ(mean_tension(s, 0.021, 0.021), tension(s, 0.021));
}

/// A mass on a spring that is held at the other end.
std::unique_ptr<ParticleSystem> bob(double mass, double speed, const PlasticSpring& s) {
  Particles p;
  p.position = {{0, 0, 0}, {s.rest_length, 0, 0}};
  p.velocity = {{0, 0, 0}, {speed, 0, 0}};
  p.mass = {1, mass};
  p.pinned = {true, false};
  auto system = std::make_unique<ParticleSystem>(p);
  PlasticSpring spring = s;
  spring.first = 1;
  spring.second = 0;
  system->add(std::make_unique<PlasticSprings>(std::vector{spring}, 2));
  system->finish();
  return system;
}

/// Where it turns, ½mv² = ½(T_y + Hp)²/k + ½Hp² + T_y p. From there on it swings elastically, and just does
/// not yield on the other side.
class ThrownBob : public testing::TestWithParam<const char*> {
 protected:
  static constexpr double mass = 0.37, speed = 17.3;
  PlasticSpring spring_ = some_spring();

  double flow() const {
    const double k = spring_.stiffness, H = spring_.hardening, Ty = spring_.yield;
    const double a = 0.5 * (H * H / k + H), b = Ty * H / k + Ty,
                 c = 0.5 * Ty * Ty / k - 0.5 * mass * speed * speed;
    return (-b + std::sqrt(b * b - 4 * a * c)) / (2 * a);
  }
};

TEST_P(ThrownBob, YieldsByWhatItsEnergySays) {
  ASSERT_GT(flow(), 3 * spring_.yield / spring_.stiffness) << "hardly yields";
  const auto system = bob(mass, speed, spring_);
  const auto method = make_integrator(GetParam());
  State state = system->initial_state();
  double largest = 0;
  const SimulationSummary summary = simulate(*system, *method, state, {.duration = 0.0731, .step = 1.3e-5},
                                             [&](const State& now, const SimulationSummary&) {
                                               if (now.time > 0.02)
                                                 largest = std::max(largest, to_host(now.x())[0]);
                                               return true;
                                             });
  const PlasticWork work = system->plastic_work().value();
  EXPECT_EQ(work.yielded, 1U);
  EXPECT_NEAR(work.strain, flow() / spring_.rest_length, 2e-3 * flow() / spring_.rest_length);
  EXPECT_NEAR(work.heat, spring_.yield * flow(), 2e-3 * spring_.yield * flow());
  EXPECT_NEAR(work.stored, 0.5 * spring_.hardening * flow() * flow(), 4e-3 * work.stored);
  const double elastic = (spring_.yield + spring_.hardening * flow()) / spring_.stiffness;
  EXPECT_NEAR(largest, spring_.rest_length + flow() + elastic, 2e-2 * elastic)
      << "it swings about its new length";
  EXPECT_LT(summary.max_energy_drift, 4e-3 * summary.initial_energy);
  ASSERT_TRUE(state.history);
  EXPECT_NEAR((*state.history)[0], flow(), 2e-3 * flow());
}

INSTANTIATE_TEST_SUITE_P(Methods, ThrownBob,
                         testing::Values("verlet", "rk4", "dopri5", "exprb42", "pexprb43", "ros3pl",
                                         "newmark", "energy-momentum", "energy-momentum-4", "tr-bdf2", "bdf3",
                                         "v-imex", "sdirk-nc34"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Plasticity, TriedStepsDoNotYield) {
  const PlasticSpring spring = some_spring();
  const auto system = bob(0.37, 17.3, spring);
  const auto method = make_integrator("ros3pl");
  State loose = system->initial_state(), tight = loose;
  const SimulationSummary summary =
      simulate(*system, *method, loose, {.duration = 0.0331, .tolerance = 1e-3});
  simulate(*system, *method, tight, {.duration = 0.0331, .tolerance = 1e-7});
  EXPECT_GT(summary.rejected_steps, 0);
  EXPECT_NEAR(to_host(loose.x())[0], to_host(tight.x())[0], 1e-2 * 0.05)
      << "and each run starts with a new spring";
}

TEST(Plasticity, GirdersYieldAlongTheirLength) {
  const std::vector<Point> rest = {{0, 0, 0}, {0.7, 0, 0}};
  const std::vector<Girder> girder = {{0, 1, 2.3e4, 170}};
  ParticleSystem system({.position = {rest[0], {0.79, 0, 0}},
                         .velocity = {{0, 0, 0}, {0, 0, 0}},
                         .mass = {1, 1},
                         .pinned = {false, false}});
  system.add(Girders(girder, rest).yielding({.yield = 0.02, .hardening = 0.3}));
  system.finish();
  State state = system.initial_state();
  system.settle(state);
  const double k = 2.3e4 - 170, H = 0.3 * k, Ty = k * 0.02 * 0.7, flow = (k * 0.09 - Ty) / (k + H);
  EXPECT_NEAR(system.plastic_work()->heat, Ty * flow, 1e-9);
  Vector f(6);
  system.force(0, state.x(), state.v(), f);
  EXPECT_NEAR(to_host(f)[0], k * (0.09 - flow) + 170 * 0.09, 1e-8)
      << "the part that keeps angles does not yield";
  system.recall(nullptr);
  EXPECT_EQ(system.plastic_work()->yielded, 0U);
  system.recall(state.history);
  EXPECT_NEAR(system.plastic_work()->strain, flow / 0.7, 1e-12);
}

TEST(Plasticity, RefusesAHistoryOfSomethingElse) {
  const auto system = bob(0.37, 17.3, some_spring());
  EXPECT_THROW(system->recall(std::make_shared<const std::vector<double>>(3, 0.1)), InputError);
}

}  // namespace
}  // namespace stiffly
