// Runs to an error bound: what is promised is true, and what cannot be promised is said.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "stiffly/control/methods.hpp"
#include "stiffly/control/sampler.hpp"
#include "stiffly/results/error_norms.hpp"
#include "stiffly/results/scene_run.hpp"
#include "temporary_folder.hpp"

namespace stiffly::test {
namespace {

std::string settings(double duration, double error, const std::string& integrator = "auto",
                     double weight = 9.81) {
  return fmt::format(
      "[simulation]\nduration = {}\nerror = {}\nintegrator = \"{}\"\nframes = 30\ngravity = [0, 0, -{}]\n",
      duration, error, integrator, weight);
}

std::string particle(double x, double y, double z, double mass, const std::string& more = "") {
  return fmt::format("[[particle]]\nposition = [{}, {}, {}]\nmass = {}\n{}\n", x, y, z, mass, more);
}

std::string spring(int a, int b, double stiffness) {
  return fmt::format("[[spring]]\nends = [{}, {}]\nstiffness = {}\n", a, b, stiffness);
}

/// The largest error at all frames of a run, against dopri5 at a step far below its limit.
double true_error(const Scene& scene, std::span<const State> frames, double fine_step) {
  std::vector<double> times;
  for (const State& state : frames) times.push_back(state.time);
  const auto reference = [&](double step) {
    std::vector<State> out;
    const StepPlan plan{.duration = scene.simulation.duration, .step = step};
    const auto stepper = make_stepper("dopri5", scene.system(), scene.body.start, plan);
    Sampler sampler(SampleTimes::at(0, times), [&](const State& state) { out.push_back(state); });
    const auto within = [&](std::span<const double> wanted) { return stepper->within(wanted); };
    sampler.see(scene.body.start, within);
    while (!stepper->done()) {
      stepper->advance();
      sampler.see(stepper->state(), within);
    }
    return out;
  };
  const ErrorMeasure measure(scene.body, Norm::displacement, reference(fine_step));
  EXPECT_LT(measure.error(reference(1.7 * fine_step)), 1e-5) << "the reference itself";
  return measure.error(frames);
}

struct Bounded {
  RunReport report;
  double truth;
};

Bounded run(const std::string& text, double fine_step) {
  TemporaryFolder folder;
  SceneRun run(load_scene(folder.write("scene.toml", text)));
  std::vector<State> frames;
  RunReport report = run.simulate({.step = {},
                                   .choice = {},
                                   .frame =
                                       [&](const State& state) {
                                         if (!frames.empty() && state.time <= frames.back().time)
                                           frames.clear();  // the next run
                                         frames.push_back(state);
                                       },
                                   .search = {}});
  const double truth =
      report.status == RunStatus::done ? true_error(run.scene(), frames, fine_step) : std::nan("");
  return {std::move(report), truth};
}

std::string pendulum(double stiffness, double error, const std::string& integrator) {
  return settings(2.3, error, integrator) + particle(0, 0, 0, 1, "pinned = true") +
         particle(std::sin(1.1), 0, -std::cos(1.1), 1) + spring(0, 1, stiffness);
}

TEST(ErrorBoundTest, HoldsForStiffPendulums) {
  for (const char* integrator : {"auto", "exprb42", "tr-bdf2", "ros3pl", "bdf2"})
    for (const auto& [stiffness, step] : {std::pair(1.3e3, 3e-3), std::pair(3e6, 1e-4)})
      for (const double error : {1e-2, 1e-3}) {
        const auto [report, truth] = run(pendulum(stiffness, error, integrator), step);
        ASSERT_EQ(report.status, RunStatus::done) << report.error;
        EXPECT_LE(truth, error) << integrator << " " << stiffness;
        EXPECT_LE(report.error_search->estimate(), error);
      }
}

/// A free cube, all of its corners joined, that spins with 3 rad/s about an axis askew.
std::string spinning_cube(double stiffness, double error) {
  std::string out = settings(2, error, "auto", 0);
  const double w = 3 / std::sqrt(14.0);
  for (int i = 0; i < 8; ++i) {
    const double x = (i & 1) - 0.5, y = (i >> 1 & 1) - 0.5, z = (i >> 2) - 0.5;
    out += particle(
        x, y, z, 0.13,
        fmt::format("velocity = [{}, {}, {}]", w * (2 * z - 3 * y), w * (3 * x - z), w * (y - 2 * x)));
  }
  for (int i = 0; i < 8; ++i)
    for (int j = i + 1; j < 8; ++j) out += spring(i, j, stiffness);
  return out;
}

// Two runs at loose tolerances lag by nearly the same angle: that they agree proves nothing.
TEST(ErrorBoundTest, HoldsForASpinningCube) {
  const auto [report, truth] = run(spinning_cube(1e5, 1e-2), 1e-4);
  ASSERT_EQ(report.status, RunStatus::done) << report.error;
  EXPECT_LE(truth, 1e-2) << "estimated " << report.error_search->estimate();
}

/// Particles in a cloud, joined to their neighbours by springs from 1e2 to 1e9 N/m, thrown so that they turn.
std::string network(int seed, double error) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> unit(0, 1);
  const int count = 4 + seed % 5;
  std::string out = settings(0.37, error);
  std::vector<std::array<double, 3>> at;
  const double spin = 2 + 6 * unit(random);
  for (int i = 0; i < count; ++i) {
    at.push_back({unit(random), unit(random), unit(random)});
    const auto& [x, y, z] = at.back();
    out += particle(x, y, z, 0.05 + unit(random),
                    i == 0 && seed % 2 == 0 ? "pinned = true"
                                            : fmt::format("velocity = [{}, {}, {}]", -spin * (y - 0.5),
                                                          spin * (x - 0.5), unit(random)));
  }
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j)
      if (j == i + 1 || unit(random) < 0.4) out += spring(i, j, std::pow(10, 2 + 7 * unit(random)));
  return out;
}

class Networks : public testing::TestWithParam<int> {};

TEST_P(Networks, AreWithinTheBoundOrSaySo) {
  for (const double error : {1e-2, 1e-3}) {
    const auto [report, truth] = run(network(GetParam(), error), 2e-6);
    if (report.status == RunStatus::done)
      EXPECT_LE(truth, error) << "estimated " << report.error_search->estimate();
    else
      ADD_FAILURE() << report.error;
  }
}

INSTANTIATE_TEST_SUITE_P(Some, Networks, testing::Range(0, 4));
INSTANTIATE_TEST_SUITE_P(LongAll, Networks, testing::Range(4, 80));

// A triple pendulum over a long time: no tolerance tells where it ends.
TEST(ErrorBoundTest, ChaosIsNoResult) {
  std::string text = settings(60, 1e-2, "dopri5") + particle(0, 0, 0, 1, "pinned = true");
  for (int i = 1; i <= 3; ++i) text += particle(i, 0, 0.3 * i, 1) + spring(i - 1, i, 4e3);
  TemporaryFolder folder;
  SceneRun chaos(load_scene(folder.write("scene.toml", text)), {.folder = folder.path() / "out"});
  const RunReport report = chaos.simulate();
  EXPECT_EQ(report.status, RunStatus::failed);
  EXPECT_NE(report.error.find("error bound 0.01 cannot be met"), std::string::npos) << report.error;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / "run.json"));
}

TEST(ErrorBoundTest, TheFinerRunIsKeptAndTheReportSaysHowItWasFound) {
  TemporaryFolder folder;
  SceneRun run(load_scene(folder.write("scene.toml", pendulum(1.3e3, 1e-3, "tr-bdf2"))),
               {.folder = folder.path() / "out"});
  const RunReport report = run.simulate();
  const auto json = nlohmann::json::parse(run_json(report));
  EXPECT_EQ(json["error"]["asked"], 1e-3);
  EXPECT_LE(json["error"]["estimated"], 1e-3);
  EXPECT_EQ(json["error"]["norm"], "displacement");
  ASSERT_GE(json["error"]["runs"].size(), 2u);
  EXPECT_TRUE(json["error"]["runs"][0]["difference"].is_null());
  EXPECT_EQ(json["error"]["runs"].back()["tolerance"], json["tolerance"]);
  for (const char* file : {"run.json", "final.csv", "frames.h5", "energy.csv"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / file)) << file;
}

TEST(ErrorBoundTest, GoesWithNeitherStepNorTolerance) {
  TemporaryFolder folder;
  const auto load = [&](const std::string& more) {
    return load_scene(folder.write("scene.toml", settings(1, 1e-2) + more + particle(0, 0, 0, 1)));
  };
  EXPECT_THROW(load("step = 0.01\n"), InputError);
  EXPECT_THROW(load("tolerance = 0.01\n"), InputError);
  EXPECT_EQ(load("").simulation.error, 1e-2);
  const Scene scene =
      load_scene(folder.path() / "scene.toml", std::vector<Override>{{"simulation.step", "0.07", "--step"}});
  EXPECT_EQ(scene.simulation.error, 0) << "the command line overrules the file";
}

}  // namespace
}  // namespace stiffly::test
