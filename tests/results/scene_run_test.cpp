// A run as a library call: what it returns and what is in its folder, however it ends.
#include "stiffly/results/scene_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stiffly/error.hpp"
#include "stiffly/files/hdf5.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

/// Of few and soft links, by constant steps unless a tolerance is given.
Scene chain(std::vector<Override> changes = {}) {
  const bool adaptive = std::ranges::any_of(changes, [](const Override& o) { return o.key == "tolerance"; });
  if (!adaptive) changes.insert(changes.begin(), {"step", "0.003"});
  changes.insert(changes.begin(), {{"count", "6"}, {"stiffness", "1e3"}, {"duration", "0.07"}});
  return load_scene(find_scene("chain"), changes);
}

Names files(const fs::path& folder) {
  Names out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
  std::ranges::sort(out);
  return out;
}

const Names all_files = {"balance.png", "checkpoint.bin", "counters.csv", "energy.csv",
                         "final.csv",   "frames.h5",      "motion.png",   "run.json"};

RunObserver stop_after(long steps) {
  return {.step = [=](const State&, const SimulationSummary& s) { return s.steps < steps; }};
}

TEST(SceneRunTest, WritesItsFolderAndReports) {
  const TemporaryFolder folder;
  SceneRun run(chain(), {.folder = folder / "out"});
  EXPECT_EQ(run.state().time, 0);
  const RunReport report = run.simulate();
  EXPECT_EQ(report.status, RunStatus::done);
  EXPECT_EQ(report.summary.steps, 24);
  EXPECT_EQ(run.state().time, 0.07);
  EXPECT_EQ(run.record().energies.size(), 25u);
  EXPECT_EQ(run.record().snapshots.size(), 6u);
  EXPECT_GT(report.max_kinetic_energy, 0);
  EXPECT_TRUE(report.resumable);
  EXPECT_EQ(files(folder / "out"), all_files);
  EXPECT_EQ(contents(folder / "out/run.json"), run_json(report));
  EXPECT_EQ(contents(folder / "out/energy.csv"), energy_csv(run.record().energies));
  EXPECT_EQ(contents(folder / "out/final.csv"),
            state_csv(run.scene().positions(run.state()), run.scene().velocities(run.state())));
}

TEST(SceneRunTest, LeavesPicturesOutWhereAskedTo) {
  const TemporaryFolder folder;
  SceneRun(chain(), {.folder = folder / "out", .pictures = false}).simulate();
  Names expected = all_files;
  std::erase_if(expected, [](const std::string& name) { return name.ends_with(".png"); });
  EXPECT_EQ(files(folder / "out"), expected);
}

TEST(SceneRunTest, WithoutAFolderLeavesNothing) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  SceneRun run(chain());
  const RunReport first = run.simulate();
  const State end = run.state();
  const RunReport second = run.simulate();
  fs::current_path(before);
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_FALSE(first.resumable);
  EXPECT_EQ(to_host(end.y), to_host(run.state().y)) << "again means all of it again";
  EXPECT_EQ(first.summary.counters.force, second.summary.counters.force);
}

TEST(SceneRunTest, TellsItsObserverEveryStepAndEveryChoice) {
  std::vector<double> times;
  Names choices;
  SceneRun run(chain({{"integrator", "auto"}, {"tolerance", "1e-3"}}));
  const RunReport report =
      run.simulate({.step =
                        [&](const State& state, const SimulationSummary& summary) {
                          EXPECT_EQ(static_cast<long>(times.size()), summary.steps);
                          times.push_back(state.time);
                          return true;
                        },
                    .choice = [&](const ChoiceRecord& c) { choices.push_back(c.integrator); }});
  EXPECT_EQ(times.size(), static_cast<std::size_t>(report.summary.steps) + 1);
  EXPECT_TRUE(std::ranges::is_sorted(times));
  ASSERT_EQ(choices.size(), report.choices.size());
  ASSERT_GE(choices.size(), 1u);
  EXPECT_EQ(choices[0], report.choices[0].integrator);
}

TEST(SceneRunTest, StopsWhenAskedAndSaysWhetherItCanGoOn) {
  const TemporaryFolder folder;
  const RunReport early = SceneRun(chain(), {.folder = folder / "out"}).simulate(stop_after(0));
  EXPECT_EQ(early.status, RunStatus::interrupted);
  EXPECT_FALSE(early.resumable) << "before the first checkpoint";
  const RunReport later = SceneRun(chain(), {.folder = folder / "out"}).simulate(stop_after(5));
  EXPECT_EQ(later.status, RunStatus::interrupted);
  EXPECT_EQ(later.summary.steps, 5);
  EXPECT_TRUE(later.resumable);
  EXPECT_EQ(files(folder / "out"), all_files);
  // Asked only after the last step, it is done.
  EXPECT_EQ(SceneRun(chain()).simulate(stop_after(24)).status, RunStatus::done);
}

TEST(SceneRunTest, ResumedEndsAlikeBitForBit) {
  const TemporaryFolder folder;
  for (const std::vector<Override>& method :
       {std::vector<Override>{{"integrator", "exprb42"}, {"evaluator", "kiops"}},
        std::vector<Override>{{"integrator", "bdf3"}, {"tolerance", "1e-3"}},
        std::vector<Override>{{"integrator", "rk4"}, {"model.damping", "0.3"}}}) {
    std::vector<Override> changes = method;
    changes.push_back({"frames", "700"});
    SceneRun whole(chain(changes), {.folder = folder / "whole"});
    whole.simulate();
    SceneRun first(chain(changes), {.folder = folder / "part"});
    ASSERT_TRUE(first.simulate(stop_after(11)).resumable);
    SceneRun copy(chain(changes), {.folder = folder / "copy", .resume = folder / "part"});
    EXPECT_EQ(copy.simulate().status, RunStatus::done);
    SceneRun same(chain(changes), {.resume = folder / "part"});
    EXPECT_EQ(same.simulate().status, RunStatus::done);
    for (const char* name : {"final.csv", "energy.csv", "motion.png", "balance.png"})
      for (const char* other : {"copy", "part"})
        EXPECT_EQ(contents(folder / "whole" / name), contents(folder / other / name))
            << name << " of " << other;
    const auto balance = [&](const char* run) {
      const auto json = nlohmann::json::parse(contents(folder / run / "run.json"));
      return nlohmann::json{json["energy"], json["momentum"]};
    };
    EXPECT_TRUE(balance("whole")[0]["numerical_error"].is_number());
    for (const char* other : {"copy", "part"}) EXPECT_EQ(balance("whole"), balance(other)) << other;
    for (const char* other : {"copy", "part"}) {
      const Hdf5Reader a(folder / "whole/frames.h5"), b(folder / (std::string(other) + "/frames.h5"));
      for (const char* name : {"time", "position", "velocity"}) EXPECT_EQ(a.numbers(name), b.numbers(name));
    }
  }
}

TEST(SceneRunTest, ResumingSaysWhichSettingDiffers) {
  const TemporaryFolder folder;
  SceneRun(chain(), {.folder = folder / "out"}).simulate(stop_after(5));
  const Names before = files(folder / "out");
  try {
    SceneRun(chain({{"spacing", "0.06"}}), {.resume = folder / "out"}).simulate();
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("checkpoint.bin"), std::string::npos) << message;
    EXPECT_NE(message.find("model.spacing is 0.05 there and 0.06 here"), std::string::npos) << message;
  }
  EXPECT_EQ(files(folder / "out"), before) << "nothing was removed";
  EXPECT_THROW(SceneRun(chain(), {.resume = folder / "none"}).simulate(), FileError);
}

// A blow-up in a later step, and a method that cannot even start.
TEST(SceneRunTest, FailuresKeepTheLastGoodState) {
  const TemporaryFolder folder;
  SceneRun(chain(), {.folder = folder / "out"}).simulate();
  SceneRun blown(chain({{"integrator", "forward-euler"}, {"step", "0.007"}, {"duration", "70"}}),
                 {.folder = folder / "out"});
  const RunReport report = blown.simulate();
  ASSERT_EQ(report.status, RunStatus::failed);
  EXPECT_NE(report.error.find("blew up in the step from t = "), std::string::npos) << report.error;
  EXPECT_GT(report.summary.steps, 0);
  Names expected = all_files;
  std::ranges::replace(expected, std::string("final.csv"), std::string("last_good.csv"));
  std::erase(expected, "checkpoint.bin");
  std::ranges::sort(expected);
  EXPECT_EQ(files(folder / "out"), expected);

  SceneRun refused(chain({{"integrator", "exprb42"}, {"reformulation", "explicit-root"}}),
                   {.folder = folder / "out"});
  const RunReport at_once = refused.simulate();
  ASSERT_EQ(at_once.status, RunStatus::failed);
  EXPECT_EQ(at_once.summary.steps, 0);
  EXPECT_EQ(at_once.summary.initial_energy, refused.scene().system().energy(refused.state()));
  EXPECT_EQ(files(folder / "out"), expected);
  EXPECT_EQ(refused.record().energies.size(), 1u);
  EXPECT_EQ(contents(folder / "out/run.json"), run_json(at_once));
}

TEST(SceneRunTest, FilesThatCannotBeWrittenEndIt) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_THROW(SceneRun(chain(), {.folder = folder / "file"}).simulate(), FileError);
  // Something is in the way of a result.
  fs::create_directories(folder / "out/motion.png/inside");
  EXPECT_THROW(SceneRun(chain(), {.folder = folder / "out"}).simulate(), FileError);
  EXPECT_FALSE(fs::exists(folder / "out/run.json"));
}

TEST(SceneRunTest, ExceptionsOfTheObserverPassThrough) {
  const TemporaryFolder folder;
  SceneRun(chain(), {.folder = folder / "out"}).simulate();
  SceneRun run(chain(), {.folder = folder / "out"});
  EXPECT_THROW(run.simulate({.step = [](const State&, const SimulationSummary& s) -> bool {
    if (s.steps == 9) throw std::runtime_error("mine");
    return true;
  }}),
               std::runtime_error);
  EXPECT_EQ(files(folder / "out"), (Names{"checkpoint.bin", "frames.h5"})) << "no result passes for whole";
  EXPECT_EQ(SceneRun(chain(), {.resume = folder / "out"}).simulate().status, RunStatus::done);
}

TEST(SceneRunTest, OptionsThatContradictEachOtherAreRefused) {
  EXPECT_THROW(SceneRun(chain(), {.vtu = true}), InputError);
  EXPECT_THROW(SceneRun(chain({{"frames", "0"}}), {.folder = "somewhere", .vtu = true}), InputError);
}

}  // namespace
}  // namespace stiffly
