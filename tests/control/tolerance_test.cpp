// Steps chosen for a tolerance: the error in the end is what was asked for.
#include <gtest/gtest.h>

#include <cmath>

#include "stiff_links.hpp"
#include "stiffly/control/motion_scale.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/control/step_controller.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/chain.hpp"
#include "stiffly/scene/coil.hpp"
#include "stiffly/system/fput.hpp"
#include "stiffly/system/linear_oscillator.hpp"
#include "stiffly/system/spectral_radius.hpp"

namespace stiffly::test {
namespace {

/// A system with states at five times that are known far better than any tolerance here.
struct Problem {
  std::string name;
  std::unique_ptr<SecondOrderSystem> system;
  State start;
  double duration;
  std::vector<State> exact = {};

  /// With dopri5 at a fixed step, far below its limit of stability; its own error by a run at twice the step.
  void solve(double step) {
    const auto run = [&](double h) {
      std::vector<State> out;
      const auto method = make_integrator("dopri5");
      State state = start;
      for (int i = 0; i < moments; ++i) {
        simulate(*system, *method, state, {.duration = duration / moments, .step = h});
        out.push_back(state);
      }
      return out;
    };
    exact = run(step);
    const double error = distance(run(2 * step), exact);
    EXPECT_LT(error, 1e-9) << "the reference itself";
  }

  /// Largest error of the positions relative to the largest displacement.
  double distance(const std::vector<State>& a, const std::vector<State>& b) const {
    double error = 0, motion = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      Vector difference(a[i].x()), moved(b[i].x());
      axpy(-1.0, b[i].x(), difference);
      axpy(-1.0, start.x(), moved);
      error = std::max(error, norm(difference));
      motion = std::max(motion, norm(moved));
    }
    return error / motion;
  }

  double error_of(const IntegratorInfo& info, double tolerance, SimulationSummary* summary = nullptr) const {
    const auto method =
        info.make(options_for(info, {.phi_tolerance = 1e-4, .newton_tolerance = 1e-6}, tolerance));
    std::vector<State> found;
    State state = start;
    for (int i = 0; i < moments; ++i) {
      const SimulationSummary s =
          simulate(*system, *method, state, {.duration = duration / moments, .tolerance = tolerance});
      found.push_back(state);
      if (!summary) continue;
      summary->steps += s.steps;
      summary->max_energy_drift = std::max(summary->max_energy_drift, s.max_energy_drift);
    }
    return distance(found, exact);
  }

  static constexpr int moments = 5;
};

Problem hanging_chain() {
  auto system = make_chain_system();
  State start = system->initial_state();
  return {"chain", std::move(system), std::move(start), 0.5};
}

Problem fput() {
  auto system = std::make_unique<Fput>(3, 100);
  State start = system->initial_state();
  return {"fput", std::move(system), std::move(start), 2.0};
}

Problem coil() {
  auto system = make_coil_system(small_coil());
  State start = system->initial_state();
  return {"coil", std::move(system), std::move(start), 0.1};
}

const IntegratorInfo& named(const std::string& name) {
  for (const IntegratorInfo& info : integrators())
    if (info.name == name) return info;
  throw InputError(name);
}

// Links turn by large angles within a step: at constant steps of 0.005 s and more exponential methods blow up
// here.
TEST(ToleranceTest, EveryMethodWithAnEstimateSwingsTheChain) {
  Problem problem = hanging_chain();
  problem.solve(1e-5);
  for (const IntegratorInfo& info : integrators()) {
    if (!info.embedded_order) continue;
    SimulationSummary summary;
    const double error = problem.error_of(info, 1e-3, &summary);
    std::printf("%-18s %.1e in %ld steps\n", info.name.c_str(), error, summary.steps);
    EXPECT_LT(error, 0.01) << info.name;
  }
}

/// The error over decades of tolerance: falling, and by ten per decade within a factor of three.
void expect_proportional(const Problem& problem, const std::string& name, double loosest, double tightest) {
  std::printf("%-6s %-12s", problem.name.c_str(), name.c_str());
  double before = 0, first = 0;
  int decades = 0;
  for (double tolerance = loosest; tolerance > 0.9 * tightest; tolerance /= 10, ++decades) {
    const double error = problem.error_of(named(name), tolerance);
    std::printf(" %.1e", error);
    if (decades == 0)
      first = error;
    else
      EXPECT_LT(error, before) << problem.name << " " << name << " at " << tolerance;
    before = error;
  }
  const double per_decade = std::pow(first / before, 1.0 / (decades - 1));
  std::printf("  %.1f per decade\n", per_decade);
  EXPECT_GE(per_decade, 10.0 / 3) << problem.name << " " << name;
  EXPECT_LE(per_decade, 30.0) << problem.name << " " << name;
}

TEST(ToleranceTest, MeansSomethingOnFput) {
  Problem problem = fput();
  problem.solve(1e-4);
  for (const char* name : {"exprb42", "pexprb43", "exprb54s4", "dopri5", "sdirk3", "ros3pl"})
    expect_proportional(problem, name, 1e-2, 1e-8);
  for (const char* name : {"bdf2", "tr-bdf2", "verlet"}) expect_proportional(problem, name, 1e-2, 1e-6);
}

/// What a tolerance means is the same for all methods: errors of the result between a thirtieth and ten times
/// the tolerance, times a constant per scene, which methods may differ in by ten. These are the methods at
/// either end of the table in docs/trust.md: some lag where nothing damps (too bad), some have an estimate of
/// far lower order than their own (too good, and too dear).
TEST(ToleranceTest, IsTheSameForAllMethodsWithinABand) {
  constexpr double high = 10, width = 10 * 30 * 10;
  const auto stiff_pendulum = [] {
    auto system = pendulum(1e5);
    State start = system->initial_state();
    return Problem{"stiff", std::move(system), std::move(start), 1.9};
  };
  Problem problems[] = {fput(), stiff_pendulum()};
  problems[0].solve(1e-4);
  problems[1].solve(2.3e-4);
  for (const Problem& problem : problems) {
    double least = high, most = 0;
    for (const char* name : {"newmark", "generalized-alpha", "energy-momentum", "bdf2", "exprb32", "ros3pl",
                             "exprb54s4", "sdirk-nc34"}) {
      std::printf("%-6s %-18s", problem.name.c_str(), name);
      for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
        const double ratio = problem.error_of(named(name), tolerance) / tolerance;
        std::printf(" %.2g", ratio);
        EXPECT_LT(ratio, high) << problem.name << " " << name << " at " << tolerance;
        least = std::min(least, ratio), most = std::max(most, ratio);
      }
      std::printf("\n");
    }
    EXPECT_LT(most, width * least) << problem.name;
  }
}

TEST(ToleranceTest, MeansSomethingOnTheChain) {
  Problem problem = hanging_chain();
  problem.solve(5e-6);
  for (const char* name : {"exprb42", "pexprb43", "exprb54s4", "ros3pl"})
    expect_proportional(problem, name, 1e-2, 1e-8);
  for (const char* name : {"bdf2", "tr-bdf2", "newmark"}) expect_proportional(problem, name, 1e-2, 1e-6);
}

TEST(ToleranceTest, MeansSomethingOnTheCoil) {
  Problem problem = coil();
  problem.solve(1e-5);
  for (const char* name : {"exprb42", "exprb54s4"}) expect_proportional(problem, name, 1e-2, 1e-7);
}

// Here stability decides how long the steps of explicit methods are, not the tolerance: they are that long,
// and what is too fast for the eye does not grow.
TEST(ToleranceTest, ExplicitMethodsStayWithinTheirLimitOfStability) {
  for (const auto make : {hanging_chain, coil}) {
    Problem problem = make();
    problem.solve(1e-5);
    const double radius = spectral_radius(*problem.system, problem.start);
    const double in_motion = problem.system->kinetic_energy(problem.exact.back().v());
    for (const auto& [name, limit] : {std::pair{"dopri5", 1.0}, {"rk4", 2 * 2.83}, {"verlet", 2 * 2.0}}) {
      SimulationSummary summary;
      const double error = problem.error_of(named(name), 1e-2, &summary);
      const double mean_step = problem.duration / static_cast<double>(summary.steps);
      EXPECT_LT(error, 1e-2) << problem.name << " " << name;
      EXPECT_LT(mean_step * radius, limit) << problem.name << " " << name;
      EXPECT_GT(mean_step * radius, 0.8 * limit) << problem.name << " " << name;
      EXPECT_LT(summary.max_energy_drift, 0.01 * in_motion) << problem.name << " " << name;
    }
  }
}

// Springs that hardly stretch and turn far: the error in the end is at most ten times the tolerance, whatever
// the stiffness, and most steps share a factor with the step before.
TEST(ToleranceTest, EnergyMomentumMeansItWhereStiffSpringsTurn) {
  const struct {
    const char* name;
    std::unique_ptr<ParticleSystem> (*make)(double);
    double duration, stiffest, step_at_1_N_m;
  } bodies[] = {{"pendulum", pendulum, 1.3, 2e9, 0.09},
                {"double pendulum", double_pendulum, 1.1, 2e7, 0.07},
                {"spinning ring", spinning_ring, 0.9, 2e7, 0.011}};
  for (const auto& [name, make, duration, stiffest, step] : bodies)
    for (double k = 1e3; k < stiffest; k *= 100) {
      auto system = make(k);
      State start = system->initial_state();
      Problem problem{name, std::move(system), std::move(start), duration};
      problem.solve(std::min(1.3e-3, step / std::sqrt(k)));
      std::printf("%-15s %.0e N/m: error/tolerance", name, k);
      long steps = 0;
      const std::int64_t factors = problem.system->counters().factorization;
      for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5}) {
        SimulationSummary summary;
        const double error = problem.error_of(named("energy-momentum"), tolerance, &summary);
        std::printf(" %.2f (%ld)", error / tolerance, summary.steps);
        EXPECT_LT(error, 10 * tolerance) << name << " " << k;
        steps += summary.steps;
      }
      const double share = static_cast<double>(problem.system->counters().factorization - factors) /
                           static_cast<double>(steps);
      std::printf("  %.2f factors a step\n", share);
      EXPECT_LT(share, 0.8) << name << " " << k;
    }
}

TEST(ToleranceTest, WhatCannotBeMetIsSaid) {
  const Problem problem = hanging_chain();
  const auto method = make_integrator("dopri5");
  State state = problem.start;
  try {
    simulate(*problem.system, *method, state, {.duration = 0.5, .tolerance = 1e-25});
    FAIL() << "met 1e-25";
  } catch (const BlowUp& failure) {
    EXPECT_NE(std::string(failure.what()).find("1e-25"), std::string::npos) << failure.what();
    EXPECT_NE(std::string(failure.what()).find("looser tolerance"), std::string::npos) << failure.what();
    EXPECT_EQ(failure.state.time, state.time);
  }
  EXPECT_THROW(simulate(*problem.system, *method, state, {.duration = 0.5, .tolerance = -1}), InputError);
  EXPECT_THROW(simulate(*problem.system, *method, state, {.duration = 0.5, .tolerance = NAN}), InputError);
}

// The controller alone: a quantity that falls like h^q is led to its target and kept there.
TEST(StepControllerTest, SettlesAtTheTarget) {
  for (const int order : {1, 2, 4}) {
    const IntegratorTraits traits{.order = order, .embedded_order = order};
    StepController controller(traits, 1e-4);
    const int q = order + 1;
    double h = 1, error = 0;
    int rejected = 0;
    for (int i = 0; i < 60; ++i) {
      error = 7 * std::pow(h, q);
      rejected += controller.judge(error) ? 0 : 1;
      h *= controller.factor();
    }
    const double target = std::pow(1e-4, static_cast<double>(q) / order);
    EXPECT_LE(error, target);
    EXPECT_GE(error, 0.05 * target);
    EXPECT_LE(rejected, 12);
  }
}

TEST(StepControllerTest, FailuresShortenTheStep) {
  StepController controller({.order = 2, .embedded_order = 1}, 1e-3);
  controller.fail();
  EXPECT_LT(controller.factor(), 0.5);
  EXPECT_FALSE(controller.judge(NAN));
  EXPECT_LT(controller.factor(), 0.5);
  EXPECT_TRUE(controller.judge(0));
  EXPECT_LE(controller.factor(), 1) << "no growth right after a rejection";
}

/// Links that turn far in a step leave the stiff springs between them stretched: at a loose tolerance that
/// once was more energy than all that moves, in vibrations that took twice as many steps.
TEST(ToleranceTest, EnergyDoesNotComeOutOfNothing) {
  const auto chain =
      make_chain_system({.particles = 200, .spacing = 0.0075, .mass = 0.0015, .stiffness = 6e5});
  State state = chain->initial_state();
  double most_kinetic = 0;
  const SimulationSummary summary =
      simulate(*chain, *make_integrator("ros3pl"), state, {.duration = 1, .tolerance = 0.1},
               [&](const State& now, const SimulationSummary&) {
                 most_kinetic = std::max(most_kinetic, chain->kinetic_energy(now.v()));
                 return true;
               });
  EXPECT_LT(summary.max_energy_drift, 0.1 * most_kinetic);
  EXPECT_LT(summary.steps, 600);
}

TEST(StepControllerTest, AStepThatChangesTheEnergyIsNotGoodEnough) {
  StepController controller(make_integrator("ros3pl")->traits(), 0.1);
  EXPECT_TRUE(controller.judge(1e-6, 0.7));
  EXPECT_FALSE(controller.judge(1e-6, 1.3));
  EXPECT_LT(controller.factor(), 1);
}

/// Of a system that loses energy, of one that gains some, and of one that something drives.
TEST(MotionScaleTest, OnlyPassiveSystemsCannotGainEnergy) {
  const TestEquation spring = wave();
  MotionScale scale(*spring.system, spring.start);
  EXPECT_NEAR(scale.energy_gain(1, 1.5), 0.5 / (0.5 * scale.speed() * scale.speed()), 1e-9);
  EXPECT_EQ(scale.energy_gain(1, 0.5), 0);
  EXPECT_EQ(scale.energy_gain(1, 1), 0);
  const TestEquation fed = dahlquist(2);
  EXPECT_EQ(MotionScale(*fed.system, fed.start).energy_gain(1, 2), 0);
}

}  // namespace
}  // namespace stiffly::test
