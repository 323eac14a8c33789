// A run is the same to the bit when it is made again, and when it is interrupted and taken up: every scene
// that comes with the program, every registered method, the automatic choice included.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>

#include "dragon_package.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/hdf5.hpp"
#include "stiffly/results/scene_run.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::TemporaryFolder;

/// Short steps, few of them, and small bodies: what is looked at is the same in long runs.
struct Short {
  std::string scene;
  double step;
  std::vector<Override> changes = {};
};
const std::vector<Short>& short_scenes() {
  static const std::vector<Short> all = {
      {"bristle", 1.7e-5},
      {"bunny", 3e-4, {{"count", "250"}}},
      {"chain", 7e-4},
      {"coil", 1.3e-3},
      {"crash",
       3e-4,
       {{"stations", "17"}, {"sides", "20"}, {"layers", "1"}, {"model.velocity", "[-60, 0, 0]"}}},
      {"dahlquist", 0.013},
      {"damped-spring", 0.013},
      {"dragon", 3e-4, {{"count", "250"}}},
      {"drape", 0.011, {{"rows", "5"}, {"columns", "5"}}},
      {"flag", 3e-4},
      {"fput", 0.017},
      {"hair", 2.3e-5, {{"model.count", "3"}}},
      {"knot", 3e-6},
      {"overdamped", 0.03},
      {"paperweight", 1.3e-6, {{"model.count", "3"}}},
      {"pile", 3e-4, {{"model.count", "3"}}},
      {"slope", 3e-4},
      {"swimmer", 3e-5, {{"sections", "12"}, {"head_sides", "3"}, {"head_rings", "1"}}},
      {"toothbrush", 1.3e-6, {{"model.count", "3"}}},
      {"tower", 3e-4},
      {"wave", 0.03}};
  return all;
}

Scene loaded(const Short& s, const std::string& method, bool tolerance) {
  std::vector<Override> changes = s.changes;
  changes.push_back({"integrator", method});
  changes.push_back({"duration", fmt::format("{}", 7.3 * s.step)});
  changes.push_back(tolerance ? Override{"tolerance", "1.3e-3"}
                              : Override{"step", fmt::format("{}", s.step)});
  return load_scene(find_scene(s.scene), changes);
}

/// All that must be the same.
struct Outcome {
  std::string status, error, last, energies, choices;
  std::vector<double> frames;
};

Outcome outcome(const RunReport& report, const fs::path& folder) {
  Outcome out{name_of(report.status),          report.error,      {},
              contents(folder / "energy.csv"), report.integrator, {}};
  out.last = contents(folder / (report.status == RunStatus::failed ? "last_good.csv" : "final.csv"));
  const Hdf5Reader file(folder / "frames.h5");
  for (const char* name : {"time", "position", "velocity"})
    for (const double value : file.numbers(name)) out.frames.push_back(value);
  return out;
}

void expect_same(const Outcome& once, const Outcome& other, const char* how) {
  EXPECT_EQ(once.status, other.status) << how;
  EXPECT_EQ(once.error, other.error) << how;
  EXPECT_EQ(once.choices, other.choices) << how;
  EXPECT_EQ(once.last, other.last) << how;
  EXPECT_EQ(once.energies, other.energies) << how;
  EXPECT_TRUE(once.frames == other.frames)
      << how << ": " << once.frames.size() << " and " << other.frames.size() << " numbers of frames";
}

void expect_repeatable(const Short& s, const std::string& method, bool tolerance, long cut_after = 3) {
  SCOPED_TRACE(s.scene + " by " + method + (tolerance ? " at a tolerance" : ""));
  const TemporaryFolder folder;
  const auto made = [&](const char* name, RunOptions options, long most_steps = 1000000) {
    options.folder = folder / name;
    options.checkpoint_seconds = 0;
    options.pictures = false;
    RunObserver observer;
    // Pieces make many steps between two checkpoints.
    const fs::path checkpoint = options.folder / "checkpoint.bin";
    observer.step = [=](const State&, const SimulationSummary& summary) {
      return summary.steps < most_steps || !fs::exists(checkpoint);
    };
    return outcome(SceneRun(loaded(s, method, tolerance), options).simulate(observer), options.folder);
  };
  try {
    const Outcome once = made("once", {});
    expect_same(once, made("again", {}), "made again");
    made("cut", {}, cut_after);
    if (fs::exists(folder / "cut/checkpoint.bin"))
      expect_same(once, made("cut", {.resume = folder / "cut"}), "resumed");
    else
      EXPECT_EQ(once.status, "failed") << "there is nothing to go on from";
  } catch (const InputError& error) {  // a method that is not for such a scene says so, every time
    EXPECT_THROW(made("again", {}), InputError) << error.what();
  }
}

class Repeatable : public testing::TestWithParam<Short> {};

TEST_P(Repeatable, WithAFewMethods) {
  const test::DragonPackage package;
  for (const char* method : {"exprb42", "bdf2", "energy-momentum"})
    expect_repeatable(GetParam(), method, false);
}

TEST_P(Repeatable, ByChoice) {
  const test::DragonPackage package;
  expect_repeatable(GetParam(), "auto", true);
}

TEST_P(Repeatable, LongWithEveryMethod) {
  const test::DragonPackage package;
  for (const MethodInfo& method : methods())
    for (const bool tolerance : {false, true})
      if (!tolerance || method.automatic || method.embedded_order.has_value())
        expect_repeatable(GetParam(), method.name, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Repeatable, testing::ValuesIn(short_scenes()), [](const auto& parameter) {
  std::string name = parameter.param.scene;
  std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
  return name;
});

TEST(RepeatableTest, KnowsEveryScene) {
  std::vector<std::string> known, there;
  for (const Short& s : short_scenes()) known.push_back(s.scene);
  for (const SceneEntry& entry : scenes()) there.push_back(entry.name);
  EXPECT_EQ(known, there);
}

/// How far a step may be depends on which pairs are listed, and for how long they have been.
TEST(RepeatableTest, WhereContactLimitsSteps) {
  for (const char* method : {"ros3pl", "exprb53s3"})
    expect_repeatable({"drape", 0.011, {{"rows", "5"}, {"columns", "5"}}}, method, true);
}

/// What an iteration has learnt of contacts is not saved, and forgotten where it would be.
TEST(RepeatableTest, WhereRodsTouchFromTheStart) {
  const Short rods{"pile",
                   0.013,
                   {{"count", "5"},
                    {"spacing", "0.0105"},
                    {"centre", "[0.003, 0, 0.0045]"},
                    {"contact.range", "0.006"},
                    {"contact.stiffness", "7300"}}};
  for (const char* method : {"tr-bdf2", "energy-momentum"}) {
    EXPECT_GT(SceneRun(loaded(rods, method, true)).simulate().summary.contact->pairs, 3) << method;
    expect_repeatable(rods, method, true, 31);
  }
}

/// A driven system that blows up does so after several looks in turn, some of them before the interruption.
TEST(RepeatableTest, WhereADrivenRunFails) {
  for (const char* method : {"rk4", "verlet"})
    expect_repeatable({"swimmer", 3e-5, {{"sections", "12"}, {"head_sides", "3"}, {"head_rings", "1"}}},
                      method, false);
}

TEST(RepeatableTest, LongEveryMethodOnTheChain) {
  for (const MethodInfo& method : methods())
    expect_repeatable({"chain", 7e-4, {{"count", "7"}}}, method.name, false);
}

/// What projections did is counted over the whole run, wherever it was interrupted, and steps that were only
/// tried are not.
TEST(RepeatableTest, CountsOfContactGoOnWhereARunIsResumed) {
  for (const auto& [method, tolerance] : {std::pair{"verlet", false}, {"tr-bdf2", true}, {"auto", true}}) {
    SCOPED_TRACE(method);
    const TemporaryFolder folder;
    const Short slope{
        "slope",
        3e-4,
        {{"contact.response", "projection"}, {"contact.depth", "1e-6"}, {"contact.radius", "0.001765"}}};
    const auto made = [&](const char* name, RunOptions options, long most_steps = 1000000) {
      options.folder = folder / name;
      options.checkpoint_seconds = 0;
      RunObserver observer;
      observer.step = [=](const State&, const SimulationSummary& summary) {
        return summary.steps < most_steps;
      };
      const RunReport report = SceneRun(loaded(slope, method, tolerance), options).simulate(observer);
      return report.summary.projection.value();
    };
    const ProjectionReport once = made("once", {});
    made("cut", {}, 4);
    const ProjectionReport resumed = made("cut", {.resume = folder / "cut"});
    EXPECT_GT(once.passes, 0);
    EXPECT_EQ(resumed.passes, once.passes);
    EXPECT_EQ(resumed.contacts, once.contacts);
    EXPECT_EQ(resumed.deepest, once.deepest);
    EXPECT_EQ(resumed.taken, once.taken);
  }
}

}  // namespace
}  // namespace stiffly
