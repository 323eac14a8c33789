// A simulation that leaves the rails is stopped in the step in which it does.
#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/scene/chain.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly::test {
namespace {

TEST(BlowUpTest, LongConstantStepsOnTheChainAreFoundOut) {
  const auto system = make_chain_system();
  int blown = 0;
  for (const IntegratorInfo& info : integrators()) {
    const bool exponential = info.family.starts_with("exponential");
    if (!exponential && info.family != "explicit" && info.family != "Verlet") continue;
    const auto method = info.make({});
    State state = system->initial_state();
    long steps = 0;
    try {
      simulate(*system, *method, state, {.duration = 0.5, .step = 0.02},
               [&](const State&, const SimulationSummary& s) {
                 steps = s.steps;
                 return true;
               });
    } catch (const BlowUp& failure) {
      ++blown;
      const std::string message = failure.what();
      EXPECT_NE(message.find("blew up in the step from t ="), std::string::npos) << message;
      EXPECT_NE(message.find("particle"), std::string::npos) << message;
      EXPECT_NE(message.find("Try a smaller step"), std::string::npos) << message;
      // The state before the failing step is the one that is left, and it is sound.
      EXPECT_NEAR(failure.state.time, 0.02 * static_cast<double>(steps), 1e-12);
      EXPECT_TRUE(std::isfinite(norm(failure.state.y)));
      EXPECT_EQ(state.time, failure.state.time);
      EXPECT_LT(std::abs(system->energy(failure.state)), 100) << info.name << ": found out too late";
    } catch (const SimulationError&) {  // an evaluator that gives up on what it was given
      ++blown;
    }
  }
  EXPECT_GE(blown, 15);
}

// Wind drives it: energy may rise, but not like that.
TEST(BlowUpTest, DrivenSystemsAreFoundOutToo) {
  const Scene flag = load_scene(find_scene("flag"), std::vector<Override>{{"size", "small"}});
  const auto run = [&](const char* method, double step, double duration) {
    State state = flag.body.start;
    return simulate(flag.system(), *make_integrator(method), state, {.duration = duration, .step = step});
  };
  for (const char* method : {"rk4", "verlet", "explicit-midpoint"})
    EXPECT_THROW(run(method, 3.1e-3, 0.7), BlowUp) << method;
  EXPECT_NO_THROW(run("rk4", 1.3e-4, 0.3));
  EXPECT_NO_THROW(run("backward-euler", 0.013, 0.7));
}

// Roots that swing take energy from a hair at the ends of a while in which they have given it more.
TEST(BlowUpTest, AShakenHairIsNone) {
  SceneRun run(load_scene(
      find_scene("hair"),
      std::vector<Override>{{"count", "10"}, {"duration", "0.8"}, {"integrator", "energy-momentum"}}));
  const RunReport report = run.simulate();
  EXPECT_EQ(report.status, RunStatus::done) << report.error;
}

// Under a tolerance such steps are made again, shorter.
TEST(BlowUpTest, StepsThatAreNotAcceptedLeaveNoTrace) {
  const Scene flag = load_scene(find_scene("flag"), std::vector<Override>{{"size", "small"}});
  const State& start = flag.body.start;
  BlowUpWatch watch(flag.system(), start, 0);
  const auto attempt = [&](double speed) {
    State after(start.time + 1e-3, start.y);
    axpy(speed, Vector(std::vector(start.unknowns(), 1.0)), after.v());
    return watch.check(start, after, 1e-3);
  };
  for (double speed = 1; speed < 1e6; speed *= 7) EXPECT_NO_THROW(attempt(speed)) << speed;
}

/// Within its first steps a scene has less energy in motion than the rounding of its positions makes.
TEST(BlowUpTest, RoundingIsNone) {
  const auto system = make_chain_system({.stiffness = 1e12, .gravity = {0, 0, -1e-4}});
  State state = system->initial_state();
  EXPECT_NO_THROW(simulate(*system, *make_integrator("verlet"), state, {.duration = 1e-7, .step = 1e-9}));
}

}  // namespace
}  // namespace stiffly::test
