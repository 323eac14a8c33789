// Energy as a second judge of steps that are chosen for a tolerance.
#include "stiffly/control/energy_budget.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "stiffly/control/methods.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/spring_system.hpp"
#include "stiffly/system/fput.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly::test {
namespace {

TEST(EnergyBudgetTest, GrowsOverTheRun) {
  const TestEquation spring = wave();
  MotionScale scale(*spring.system, spring.start);
  const double E = spring.system->energy(spring.start), in_motion = 0.5 * scale.speed() * scale.speed();
  const double start = spring.start.time;
  const EnergyBudget budget(*spring.system, spring.start, E, 10, 0.01);
  const auto share = [&](double before, double after, double time) {
    return budget.share(scale, E + before * in_motion, E + after * in_motion, start + time, 0.07, true);
  };
  EXPECT_NEAR(share(0, -0.005, 0), 1, 1e-6) << "half of it at once";
  EXPECT_NEAR(share(0, -0.01, 10), 1, 1e-6) << "all of it in the end";
  EXPECT_NEAR(share(-0.003, -0.005, 0), 1, 1e-6) << "what was lost before counts";
  EXPECT_NEAR(share(-0.004, -0.003, 3), 0.001 / (0.1 * 0.01), 1e-6)
      << "coming back is a gain of that step alone";
  EXPECT_EQ(budget.share(scale, E - 0.004 * in_motion, E - 0.003 * in_motion, start + 3, 0.07, false), 0);
}

TEST(EnergyBudgetTest, DampedSystemsMayLoseAnything) {
  const TestEquation spring = damped_spring();
  MotionScale scale(*spring.system, spring.start);
  const EnergyBudget budget(*spring.system, spring.start, 1, 10, 0.01);
  EXPECT_EQ(budget.share(scale, 1, 0.1, 1, 0.07, true), 0);
  EXPECT_GT(budget.share(scale, 1, 1.5, 1, 0.07, true), 1);
}

TEST(EnergyBudgetTest, GivesUpWhereShorterStepsDoNotHelp) {
  const TestEquation spring = wave();
  EnergyBudget budget(*spring.system, spring.start, 1, 10, 0.01);
  double h = 1;
  using Outlook = EnergyBudget::Outlook;
  while (h > 1e-6 && budget.outlook(h, 5.0) == Outlook::open) h *= 0.5;
  EXPECT_GT(h, 1e-3);
  EXPECT_LT(h, 0.05);
  budget.accept_loss(1, 0.8);
  EXPECT_NEAR(budget.lost(), 0.2, 1e-12);
  for (h = 1; h > 1e-6; h *= 0.5) EXPECT_EQ(budget.outlook(h, 5 * h), Outlook::open) << "they do help here";
}

TEST(EnergyBudgetTest, DistrustsBooksThatMissSomething) {
  const TestEquation spring = damped_spring();
  EnergyBudget budget(*spring.system, spring.start, 1, 10, 0.01);
  using Outlook = EnergyBudget::Outlook;
  double h = 1;
  while (h > 1e-6 && budget.outlook(h, 5 * h) == Outlook::open) h *= 0.5;
  EXPECT_GT(h, 1e-3) << "energy that goes at a rate is no error of steps";
  EXPECT_EQ(budget.outlook(h, 5 * h), Outlook::unaccounted);
  budget.accept(1, 0.8);
  for (h = 1; h > 1e-6; h *= 0.5)
    EXPECT_EQ(budget.outlook(h, 5 * h * h), Outlook::open) << "of a method's order";
}

TEST(EnergyBudgetTest, WhatBooksExplainIsNoError) {
  const TestEquation spring = damped_spring();
  MotionScale scale(*spring.system, spring.start);
  scale.see(State(0, std::array{0.0}, std::array{2.0}));
  const EnergyBudget budget(*spring.system, spring.start, 3, 10, 0.01);
  const double in_motion = 0.5 * scale.speed() * scale.speed();
  const auto share = [&](double after, double work) {
    return budget.share(scale, 3, after, spring.start.time, 0.07, true, EnergyTransfer{work, 0});
  };
  EXPECT_LT(share(2, -1), 1e-6) << "a damper took it";
  EXPECT_NEAR(share(2, -1 + 0.005 * in_motion), 1, 1e-6) << "half of the tolerance at once";
  EXPECT_NEAR(share(2, -1 - 0.01 * in_motion), 2, 1e-6) << "and what comes from nowhere";
}

/// x of a simple pendulum (rigid rod) at time t, by many small steps of Störmer and Verlet in the angle.
double rigid_pendulum(double angle, double length, double t) {
  const int n = 400'000;
  const double h = t / n, g = 9.81;
  double rate = -0.5 * h * g / length * std::sin(angle);
  for (int i = 0; i < n; ++i) {
    angle += h * rate;
    rate -= h * g / length * std::sin(angle);
  }
  return length * std::sin(angle);
}

struct Pendulum {
  double angle = 1.1, length = 1.3, mass = 0.9, stiffness = 3e7;
  std::unique_ptr<ParticleSystem> system() const {
    Particles particles;
    particles.position = {{0, 0, 0}, {length * std::sin(angle), 0, -length * std::cos(angle)}};
    particles.velocity = {{0, 0, 0}, {0, 0, 0}};
    particles.mass = {mass, mass};
    particles.pinned = {true, false};
    return make_spring_system(particles, {{0, 1, stiffness, length}}, {0, 0, -9.81});
  }
};

/// A pendulum on a stiff spring follows the rigid one; methods that let stiff links lose energy as they turn
/// once brought it to rest at a loose tolerance.
TEST(ToleranceTest, AStiffPendulumSwings) {
  const double end = 2.0;
  for (const double stiffness : {3e5, 3e7, 3e9}) {
    const Pendulum pendulum{.stiffness = stiffness};
    const double right = rigid_pendulum(pendulum.angle, pendulum.length, end);
    for (const char* name :
         {"exprb42", "pexprb43", "exprb32", "ros3pl", "tr-bdf2", "bdf2", "bdf3", "sdirk3", "newmark"})
      for (const double tolerance : {1e-2, 1e-3}) {
        const auto system = pendulum.system();
        const State start = system->initial_state();
        const SimulationOptions options{.duration = end, .tolerance = tolerance};
        const auto stepper = make_stepper(name, *system, start, options.plan());
        const SimulationSummary summary = simulate(*stepper, start, options);
        const double error = std::abs(to_host(stepper->state().x())[0] - right) / 2.3;
        std::printf("%7.0e %-10s %.0e: %.1e in %ld steps, %ld rejected\n", stiffness, name, tolerance, error,
                    summary.steps, summary.rejected_steps);
        EXPECT_LT(error, 10 * tolerance + 3e-4) << name << " at " << stiffness << " N/m";
      }
  }
}

double energy_left(const SecondOrderSystem& system, const State& start, const char* method, double duration,
                   double tolerance) {
  const SimulationOptions options{.duration = duration, .tolerance = tolerance};
  const auto stepper = make_stepper(method, system, start, options.plan());
  const SimulationSummary summary = simulate(*stepper, start, options);
  return summary.final_energy / summary.initial_energy;
}

// Vibrations that carry the energy: bdf3 once made four times as much of it, ros3pl lost half.
TEST(ToleranceTest, VibrationsKeepTheirEnergy) {
  const Fput three(3, 100);
  for (const char* method : {"bdf3", "ros3pl", "exprb42", "tr-bdf2"})
    EXPECT_NEAR(energy_left(three, three.initial_state(), method, 3.7, 1e-3), 1, 3e-3) << method;
  const TestEquation oscillator = wave();
  for (const char* method : {"auto", "bdf2", "ros3pl"})  // which came to rest
    EXPECT_NEAR(energy_left(*oscillator.system, oscillator.start, method, 97, 0.1), 1, 0.2) << method;
}

/// A pendulum whose spring is stretched by a blow along it: explicit methods once made energy at the limit of
/// their stability.
TEST(ToleranceTest, AStretchedPendulumKeepsItsEnergy) {
  for (const char* method : {"verlet", "dopri5", "newmark", "energy-momentum"}) {
    const Pendulum pendulum{.stiffness = 2.3e5};
    const auto system = pendulum.system();
    State start = system->initial_state();
    host(start.v())[0] = 3 * std::sin(pendulum.angle), host(start.v())[2] = -3 * std::cos(pendulum.angle);
    const double moving = system->kinetic_energy(start.v()), weight = system->energy(start) - moving;
    const double left = energy_left(*system, start, method, 1.3, 1e-2) * (moving + weight) - weight;
    EXPECT_NEAR(left / moving, 1, 0.03) << method;
  }
}

}  // namespace
}  // namespace stiffly::test
