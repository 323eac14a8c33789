// [plasticity] of scene files, and a car that runs into a wall.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "stiffly/control/simulation.hpp"
#include "stiffly/error.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

const std::string two_masses =
    "[simulation]\nduration = 0.3\nstep = 1e-3\n[[particle]]\nposition = [0, 0, 0]\nmass = 0.7\n"
    "[[particle]]\nposition = [0.9, 0, 0]\nmass = 0.7\n";

void expect_refused(const std::string& text, const std::string& words) {
  const test::TemporaryFolder folder;
  try {
    load_scene(folder.write("scene.toml", text));
    FAIL() << text << " is taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("scene.toml:"), std::string::npos) << error.what();
  }
}

TEST(ScenePlasticity, RefusesWhatCannotBeMeant) {
  const std::string spring = two_masses + "[[spring]]\nends = [0, 1]\nstiffness = 300\n";
  expect_refused(spring + "[plasticity]\nyield = 0\n", "yield");
  expect_refused(spring + "[plasticity]\nyield = -0.1\n", "yield");
  expect_refused(spring + "[plasticity]\nyield = nan\n", "yield");
  expect_refused(spring + "[plasticity]\nyield = 0.1\nhardening = -0.2\n", "hardening");
  expect_refused(spring + "[plasticity]\nhardening = 0.2\n", "needs 'yield'");
  expect_refused(two_masses + "[plasticity]\nyield = 0.1\n", "nothing that could yield");
  expect_refused("[simulation]\nduration = 1\n[model]\nkind = \"wave\"\n[plasticity]\nyield = 0.1\n",
                 "does not have");
  expect_refused(spring + "[plasticty]\nyield = 0.1\n", "[plasticity]?");
}

struct Crashed {
  PlasticWork work;
  double length = 0, kinetic = 0, energy = 0, numerical = 0;
};

/// A coarse car; it has left the wall again after about 0.4 s.
Crashed crashed(const std::string& method, double speed, double tolerance, double duration) {
  const Scene scene = load_scene(
      find_scene("crash"), std::vector<Override>{{"stations", "25"},
                                                 {"sides", "20"},
                                                 {"layers", "2"},
                                                 {"damping", "0"},
                                                 {"model.velocity", fmt::format("[-{}, 0, 0]", speed)}});
  const auto integrator = make_integrator(method);
  State state = scene.body.start;
  const SimulationSummary summary =
      simulate(scene.system(), *integrator, state, {.duration = duration, .tolerance = tolerance});
  double front = 1e9, rear = -1e9;
  for (const Point& x : scene.positions(state)) {
    front = std::min(front, x[0]);
    rear = std::max(rear, x[0]);
  }
  EXPECT_GT(scene.system().plastic_work()->heat, 0);
  return {*scene.system().plastic_work(), rear - front, scene.system().kinetic_energy(state.v()),
          summary.initial_energy, summary.max_energy_drift};
}

TEST(Crash, LeavesDentsAndTheFasterTheMore) {
  const Crashed moderate = crashed("verlet", 4, 1e-2, 0.51), fast = crashed("verlet", 8, 1e-2, 0.51);
  for (const Crashed& car : {moderate, fast}) {
    EXPECT_LT(car.numerical, 0.01 * car.energy) << "kinetic + elastic + stored + heat";
    EXPECT_GT(car.work.total(), 0.3 * car.energy);
    EXPECT_LT(car.kinetic, 0.5 * car.energy);
    EXPECT_GT(car.work.yielded, 100u);
  }
  EXPECT_GT(fast.work.heat, 2 * moderate.work.heat);
  EXPECT_LT(moderate.length, 4.1) << "it was 4.2 m long";
  EXPECT_LT(fast.length, moderate.length - 0.1);
}

TEST(Crash, TakesTheSameHeatByOtherMethods) {
  const double heat = crashed("verlet", 4, 1e-3, 0.17).work.heat;
  for (const char* method : {"energy-momentum", "ros3pl", "exprb42"})
    EXPECT_NEAR(crashed(method, 4, 1e-2, 0.17).work.heat, heat, 0.05 * heat) << method;
}

}  // namespace
}  // namespace stiffly
