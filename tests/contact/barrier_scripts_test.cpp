// Barriers, and things that follow a script and give way to nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <numbers>
#include <random>

#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/limits.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/scene/scene.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr std::array all_methods = {"backward-euler", "sdirk2", "sdirk3", "tr-bdf2", "tr-bdf2-half"};

Scene scene_of(const std::string& text) {
  const test::TemporaryFolder folder;
  return load_scene(folder.write("scene.toml", text));
}

/// Positions at the end of a run with given steps.
std::vector<Point> end_of(const std::string& text, const char* method) {
  const Scene scene = scene_of(text);
  const auto integrator = make_integrator(method);
  State state = scene.body.start;
  simulate(scene.system(), *integrator, state,
           {.duration = scene.simulation.duration, .step = scene.simulation.step});
  return scene.positions(state);
}

std::string simulation(double duration, double step) {
  return fmt::format("[simulation]\nduration = {}\nstep = {}\nintegrator = \"backward-euler\"\n", duration,
                     step);
}

constexpr const char* contact =
    "[contact]\nstiffness = 300\nrange = 0.003\nradius = 0.002\nbetween = \"all\"\nresponse = \"barrier\"\n";

/// A rod of two particles.
std::string rod(int first, const Vector3d& a, const Vector3d& b, double mass, bool pinned) {
  std::string out;
  for (const Vector3d& x : {a, b})
    out += fmt::format("[[particle]]\nposition = [{}, {}, {}]\nmass = {}\n{}", x.x(), x.y(), x.z(), mass,
                       pinned ? "pinned = true\n" : "");
  return out + fmt::format("[[spring]]\nends = [{}, {}]\nstiffness = 1e4\n", first, first + 1);
}

/// A rod that is brought down by 0.04 m, ten thicknesses, in a step, upon a free one at this angle.
std::string sweep(double angle, const std::string& response) {
  std::string touching = contact;
  touching.replace(touching.find("barrier"), 7, response);
  const Vector3d along(0.1 * std::cos(angle), 0.1 * std::sin(angle), 0);
  return simulation(0.03, 0.01) + touching + rod(0, {-0.1, 0, 0.017}, {0.1, 0, 0.017}, 0.03, true) +
         rod(2, -along, along, 0.02, false) + "[[motion]]\nparticles = [0, 1]\nz = \"-4 * t\"\n";
}

TEST(BarrierScripts, PushWhatAStepWouldPassOver) {
  for (const char* method : all_methods)
    for (const double angle : {std::numbers::pi / 2, 0.7, 0.1, 0.0}) {
      const auto height = [&](const char* response) {
        const std::vector<Point> x = end_of(sweep(angle, response), method);
        return 0.5 * (x[2][2] + x[3][2] - x[0][2] - x[1][2]);
      };
      EXPECT_GT(height("repulsion"), 0.05) << method << ", " << angle << ": it was passed over";
      EXPECT_LT(height("barrier"), -0.004) << method << ", " << angle;
    }
}

/// A plate of 2 mm comes down by 20 mm a step upon free particles, and turns.
TEST(BarrierScripts, ObstaclesThatMovePushToo) {
  const auto text = [](const char* response) {
    std::string touching = contact;
    touching.replace(touching.find("barrier"), 7, response);
    return simulation(0.031, 0.01) + touching +
           "[[particle]]\nposition = [0.21, 0.1, 0]\nmass = 0.02\n"
           "[[particle]]\nposition = [-0.15, 0.2, 0.003]\nmass = 0.03\nvelocity = [0, 0, 1]\n"
           "[[spring]]\nends = [0, 1]\nstiffness = 10\n"
           "[[obstacle]]\nshape = \"box\"\npoint = [0, 0, 0.01]\nsides = [2, 2, 0.002]\nz = \"-2 * t\"\n"
           "rotation_x = \"0.7 * t\"\nrotation_z = \"31 * t\"\n";
  };
  for (const char* method : all_methods) {
    const auto highest = [&](const char* response) {
      const Scene scene = scene_of(text(response));
      const auto integrator = make_integrator(method);
      State state = scene.body.start;
      double most = -1;
      simulate(scene.system(), *integrator, state, {.duration = 0.031, .step = 0.01},
               [&](const State& now, const SimulationSummary&) {
                 const double tilt = 0.7 * now.time;  // rotation_x, but for what rotation_z makes of it
                 for (const Point& x : scene.positions(now))
                   most = std::max(most, x[2] - (0.01 - 2 * now.time) - 0.3 * tilt);
                 return true;
               });
      return most;
    };
    EXPECT_GT(highest("repulsion"), 0.01) << method << ": it was passed over";
    EXPECT_LT(highest("barrier"), 0) << method;
  }
}

/// Of an obstacle that turns and goes on, and of what goes straight.
TEST(BarrierScripts, NothingIsMetWithinTheShareThatIsClear) {
  std::mt19937 random(79);
  std::normal_distribution<double> normal;
  const auto any = [&](double size) {
    return Vector3d(size * Vector3d(normal(random), normal(random), normal(random)));
  };
  int met = 0, clear = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vector3d shift = any(1), rotation = any(1);
    const auto motion = std::make_shared<KeyframeMotion>(
        std::vector<Keyframe>{{0, Vector3d::Zero(), Vector3d::Zero()}, {1, shift, rotation}}, any(0.5));
    const std::vector<Obstacle> obstacles = {Obstacle(cuboid(any(0.3), {0.5, 0.4, 0.05}), motion)};
    const ObstacleRepulsion force(obstacles, {0.02}, {.stiffness = 100, .range = 0.01, .barrier = true});
    const Vector3d from = any(0.7), to = from + any(1);
    const ObstacleWay way = obstacles[0].way(0, 1);
    const auto gap = [&](double t) {
      return way.at(t).within(infinite, from + t * (to - from))->value - 0.02;
    };
    const double end = obstacles[0].at(1).within(infinite, to)->value - 0.02;
    EXPECT_NEAR(gap(1), end, 1e-12) << "it ends where the obstacle is";
    if (gap(0) <= 0) continue;
    const double share = force.clear_share({0, 1, {from.data(), 3}, {}}, {1, 1, {to.data(), 3}, {}});
    double least = infinite, all = infinite;
    for (int i = 0; i <= 2000; ++i) {
      least = std::min(least, gap(share * i / 2000));
      all = std::min(all, gap(i / 2000.0));
    }
    EXPECT_GT(least, 0) << trial;
    EXPECT_GT(share, 0) << trial;
    if (all > 0.1 * gap(0)) {
      EXPECT_EQ(share, 1) << trial;
    }
    (share < 1 ? met : clear) += 1;
  }
  EXPECT_GT(met, 20);
  EXPECT_GT(clear, 20);
}

/// A free rod between a script and a wall.
std::string squeeze(const std::string& steps) {
  return "[simulation]\nduration = 0.2\nintegrator = \"tr-bdf2\"\n" + steps + contact +
         rod(0, {-0.1, 0, 0.017}, {0.1, 0, 0.017}, 0.03, true) +
         rod(2, {0.01, -0.1, 0}, {0.01, 0.12, 0}, 0.02, false) +
         "[[motion]]\nparticles = [0, 1]\nz = \"-0.3 * t\"\n"
         "[[obstacle]]\nshape = \"half-space\"\npoint = [0, 0, -0.01]\n";
}

TEST(BarrierScripts, WhatCannotGiveWayEndsTheRunWithTheReason) {
  for (const char* steps : {"step = 3e-3\n", "step = 0.1\n"}) {
    SceneRun run(scene_of(squeeze(steps)));
    const RunReport report = run.simulate();
    EXPECT_EQ(report.status, RunStatus::failed) << steps;
    EXPECT_NE(report.error.find("script"), std::string::npos) << steps << report.error;
  }
}

TEST(BarrierScripts, SupportsBringWhatTheEnergyGrowsBy) {
  const Scene scene =
      scene_of(simulation(1, 0.1) + contact + rod(0, {-0.1, 0, 0.0055}, {0.1, 0.01, 0.0055}, 0.03, true) +
               rod(2, {-0.03, -0.1, 0}, {0.01, 0.11, 0}, 0.02, false) +
               "[[motion]]\nparticles = [0, 1]\nz = \"-0.5 * t\"\nrotation_x = \"0.3 * t\"\n");
  const State& state = scene.body.start;
  const double delta = 1e-6;
  const double rate = (scene.system().potential_energy(delta, state.x()) -
                       scene.system().potential_energy(-delta, state.x())) /
                      (2 * delta);
  EXPECT_GT(rate, 0.1);
  EXPECT_NEAR(scene.system().energy_flow(state).supports, rate, 1e-6 * rate);
}

// What supports bring in is what energy there is more.
TEST(BarrierScripts, BringEnergyThatIsInTheBooks) {
  for (const char* mover : {"script", "obstacle"}) {
    std::string text =
        "[simulation]\nduration = 0.1\ntolerance = 1e-4\nintegrator = \"tr-bdf2\"\n" + std::string(contact);
    if (mover == std::string("script"))
      text += rod(0, {-0.1, 0, 0.009}, {0.1, 0, 0.009}, 0.03, true) +
              rod(2, {-0.03, -0.1, 0}, {0.01, 0.11, 0}, 0.02, false) +
              "[[motion]]\nparticles = [0, 1]\nz = \"-0.5 * t\"\n";
    else
      text +=
          rod(0, {-0.03, -0.1, 0}, {0.01, 0.11, 0}, 0.02, false) +
          "[[obstacle]]\nshape = \"box\"\npoint = [0, 0, 0.009]\nsides = [1, 1, 0.004]\nz = \"-0.5 * t\"\n";
    const test::TemporaryFolder folder;
    SceneRun run(scene_of(text), {.folder = folder.path() / "run", .pictures = false});
    const RunReport report = run.simulate();
    ASSERT_EQ(report.status, RunStatus::done) << report.error;
    const EnergyBalance& books = report.balance;
    ASSERT_TRUE(books.kept);
    const double brought = books.end.supports + books.end.fields;
    EXPECT_LT(books.max_error, 0.01 * brought) << mover;
    EXPECT_GT(brought, 0.005) << mover;
  }
}

}  // namespace
}  // namespace stiffly
