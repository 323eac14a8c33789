// Scenes of fibres from beginning to end: batches, frames, books, resuming, and what is said beforehand.
#include <gtest/gtest.h>
#include <malloc.h>

#include "stiffly/control/piecewise_stepper.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/fibre_stepper.hpp"
#include "stiffly/files/hdf5.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/results/scene_stepper.hpp"
#include "stiffly/scene/drawn_points.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::contents;
using test::TemporaryFolder;

Scene hair(std::vector<Override> changes = {}) {
  changes.insert(changes.begin(), {{"model.count", "11"}, {"duration", "0.6"}});
  return load_scene(find_scene("hair"), changes);
}

double largest_distance(const std::vector<Point>& a, const std::vector<Point>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::hypot(a[i][0] - b[i][0], a[i][1] - b[i][1], a[i][2] - b[i][2]));
  return most;
}

// The scene's tolerance of 1 % against pieces of the general method at a tenth of it; hair is 20 cm long.
TEST(FibreRuns, BatchesAreWhereTheGeneralMethodIs) {
  const auto end = [](const std::vector<Override>& changes) {
    SceneRun run(hair(changes));
    const RunReport report = run.simulate();
    EXPECT_EQ(report.status, RunStatus::done) << report.error;
    return run.scene().positions(run.state());
  };
  const std::vector<Point> start = [] {
    const Scene scene = hair();
    return scene.positions(scene.body.start);
  }();
  const std::vector<Point> batches = end({}),
                           general = end({{"integrator", "tr-bdf2"}, {"tolerance", "1e-3"}});
  EXPECT_GT(largest_distance(start, general), 0.01);
  EXPECT_LT(largest_distance(batches, general), 0.05 * largest_distance(start, general));
}

TEST(FibreRuns, BooksCloseAndFramesAreCentreLines) {
  const TemporaryFolder folder;
  SceneRun run(hair(), {.folder = folder / "out"});
  const RunReport report = run.simulate();
  EXPECT_EQ(report.status, RunStatus::done);
  ASSERT_TRUE(report.balance.kept);
  EXPECT_LT(report.balance.max_error, 0.02 * report.max_kinetic_energy);
  for (const Warning& warning : report.warnings) ADD_FAILURE() << warning.text();
  const Hdf5Reader frames(folder / "out/frames.h5");
  const std::vector<double> times = frames.numbers("time");
  const DrawnPoints points(run.scene().body, run.scene().particles());
  ASSERT_EQ(frames.shape("position")[1], points.size());
  EXPECT_EQ(frames.shape("strands"), (std::vector<std::size_t>{11, 2}));
  const std::vector<Point> last = points.of(run.scene().positions(run.state()));
  const std::vector<double> row = frames.row("position", times.size() - 1);
  EXPECT_NEAR(times.back(), 0.6, 1e-9);
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(row[i], static_cast<float>(last[i / 3][i % 3]));
}

TEST(FibreRuns, ResumedEndsAlikeBitForBit) {
  const TemporaryFolder folder;
  for (const std::vector<Override>& method :
       {std::vector<Override>{{"tolerance", "0.02"}},
        std::vector<Override>{{"step", "0.0043"}, {"integrator", "auto"}}}) {
    SceneRun(hair(method), {.folder = folder / "whole"}).simulate();
    const RunReport part =
        SceneRun(hair(method), {.folder = folder / "part"})
            .simulate({.step = [](const State& now, const SimulationSummary&) { return now.time < 0.37; }});
    ASSERT_EQ(part.status, RunStatus::interrupted);
    ASSERT_TRUE(part.resumable);
    EXPECT_EQ(SceneRun(hair(method), {.resume = folder / "part"}).simulate().status, RunStatus::done);
    for (const char* name : {"final.csv", "energy.csv", "motion.png"})
      EXPECT_EQ(contents(folder / "whole" / name), contents(folder / "part" / name)) << name;
    const Hdf5Reader a(folder / "whole/frames.h5"), b(folder / "part/frames.h5");
    for (const char* name : {"time", "position", "velocity"}) EXPECT_EQ(a.numbers(name), b.numbers(name));
  }
}

/// Some bristles that sweep over the ribs of a paperweight.
Scene brush(std::vector<Override> changes) {
  changes.push_back({"model.count", "5"});
  changes.push_back({"duration", "0.0231"});
  changes.push_back({"contact.between", "nothing"});
  return load_scene(find_scene("paperweight"), changes);
}

// In batches obstacles push and rub as in the general method, no energy is made by that, and a run goes on
// bit for bit from where it was cut.
TEST(FibreRuns, MeetObstaclesAsSystemsDo) {
  const TemporaryFolder folder;
  const auto run = [&](const std::vector<Override>& changes, const char* name) {
    SceneRun run(brush(changes), {.folder = folder / name, .pictures = false});
    const RunReport report = run.simulate();
    EXPECT_EQ(report.status, RunStatus::done) << report.error;
    return std::pair(report, run.scene().positions(run.state()));
  };
  const std::vector<Override> in_batches = {{"tolerance", "2e-3"}, {"integrator", "energy-momentum"}};
  std::vector<Override> together = in_batches;
  together.push_back({"pieces", "joint"});
  const auto [general, there] = run(together, "general");
  const auto [batches, here] = run(in_batches, "batches");
  double off = 0, way = 0;
  const std::vector<Point> start = brush({}).positions(brush({}).body.start);
  for (std::size_t i = 0; i < here.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      off += (here[i][d] - there[i][d]) * (here[i][d] - there[i][d]);
      way += (here[i][d] - start[i][d]) * (here[i][d] - start[i][d]);
    }
  EXPECT_LT(off, 0.02 * 0.02 * way);
  const auto rubbed = [](const RunReport& report) {
    for (const auto& [name, joule] : report.balance.dissipated)
      if (name == "obstacles") return joule;
    return 0.0;
  };
  EXPECT_GT(rubbed(batches), 1e-6);
  EXPECT_NEAR(rubbed(batches), rubbed(general), 0.01 * rubbed(general));
  EXPECT_LT(std::abs(batches.balance.error), 1e-4 * batches.balance.end.supports);
  ASSERT_TRUE(batches.summary.contact);
  EXPECT_GT(batches.summary.contact->pairs, 0);
  EXPECT_EQ(batches.summary.contact->deepest, 0);

  const RunReport part =
      SceneRun(brush(in_batches), {.folder = folder / "part", .pictures = false})
          .simulate({.step = [](const State& now, const SimulationSummary&) { return now.time < 0.017; }});
  ASSERT_EQ(part.status, RunStatus::interrupted);
  SceneRun(brush(in_batches), {.resume = folder / "part", .pictures = false}).simulate();
  for (const char* name : {"final.csv", "energy.csv"})
    EXPECT_EQ(contents(folder / "batches" / name), contents(folder / "part" / name)) << name;
}

TEST(FibreRuns, AutoTakesBatchesAndSaysWhy) {
  SceneRun run(hair({{"integrator", "auto"}, {"duration", "0.07"}}));
  std::vector<ChoiceRecord> choices;
  const RunReport report = run.simulate({.choice = [&](const ChoiceRecord& c) { choices.push_back(c); }});
  EXPECT_EQ(report.status, RunStatus::done);
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].integrator, "energy-momentum");
  EXPECT_NE(choices[0].reason.find("batches"), std::string::npos) << choices[0].reason;
}

// At given steps, unless a head is in their way or the user has chosen an evaluator; a run is then that of
// the general way but for φ-functions.
TEST(FibreRuns, ExponentialMethodsGoInBatchesWhereNothingIsInTheWay) {
  const std::vector<Override> given = {{"integrator", "exprb42"},
                                       {"step", "0.00013"},
                                       {"duration", "0.0039"},
                                       {"model.repulsion", "0"},
                                       {"model.count", "3"}};
  const auto with = [&](const Override& change) {
    std::vector<Override> out = given;
    out.push_back(change);
    return out;
  };
  const auto in_batches = [](const std::vector<Override>& changes) {
    const Scene scene = hair(changes);
    Warnings warnings;
    const auto stepper = make_stepper(scene, scene.simulation,
                                      {.duration = scene.simulation.duration,
                                       .step = scene.simulation.step,
                                       .tolerance = scene.simulation.tolerance},
                                      {0.0013, {0.0013}}, warnings);
    return dynamic_cast<const FibreStepper*>(stepper.get()) != nullptr;
  };
  EXPECT_TRUE(in_batches(given));
  EXPECT_FALSE(in_batches(with({"model.repulsion", "0.02"})));
  EXPECT_FALSE(in_batches(with({"evaluator", "rational"})));
  const auto end = [](const std::vector<Override>& changes) {
    SceneRun run(hair(changes));
    const RunReport report = run.simulate();
    EXPECT_EQ(report.status, RunStatus::done) << report.error;
    EXPECT_EQ(report.integrator, "exprb42");
    return run.scene().positions(run.state());
  };
  const Scene scene = hair(given);
  const std::vector<Point> start = scene.positions(scene.body.start), batches = end(given),
                           general = end(with({"evaluator", "rational"}));
  EXPECT_LT(largest_distance(batches, general), 1e-3 * largest_distance(start, general));
}

// What is said of pieces beforehand is about what the dearest methods with factors and with φ-functions take.
TEST(FibreRuns, MemoryOfPiecesIsKnownBeforehand) {
  const auto allocated = [] {
    const auto now = mallinfo2();
    return static_cast<double>(now.uordblks) + static_cast<double>(now.hblkhd);
  };
  if (allocated() == 0) GTEST_SKIP() << "this build has its own allocator, which does not count";
  const Scene scene = hair({{"model.count", "4"}});
  for (const char* method : {"tr-bdf2", "exprb42"}) {
    std::string why;
    const double said = PiecewiseStepper::memory(scene.system(), method).all, before = allocated();
    PiecewiseStepper stepper(scene.system(), scene.pieces(why), method, scene.body.start,
                             {.duration = 0.002, .step = 5e-4}, 0.001);
    stepper.advance();
    EXPECT_NEAR(said / (allocated() - before), 1, 0.25) << method;
  }
}

// Girders cannot be divided: then fibres are as fast as the slowest, which is said.
TEST(FibreRuns, GirdersTieThemTogetherWithAWord) {
  const TemporaryFolder folder;
  const std::string text = R"([simulation]
duration = 0.01
step = 0.001
integrator = "tr-bdf2"
[[particle]]
position = [1, 0, 0]
pinned = true
mass = 1
[[particle]]
position = [2, 0, 0]
mass = 1
[[girder]]
ends = [0, 1]
axial = 9
bending = 1
[[fibres]]
count = 3
)";
  const RunReport report = SceneRun(load_scene(folder.write("scene.toml", text))).simulate();
  EXPECT_EQ(report.status, RunStatus::done) << report.error;
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].kind, "not-apart");
  EXPECT_NE(report.warnings[0].message.find("\"girders\""), std::string::npos) << report.warnings[0].message;
}

// Samples at ends of steps are meetings; others make the ends of the step around them meetings. Under a
// tolerance every sample is one.
TEST(MeetingTimes, AreAtSamplesOrAroundThem) {
  const auto expect = [](const StepPlan& plan, const std::vector<double>& samples,
                         const std::vector<double>& expected) {
    const std::vector<double> times = meeting_times(plan, 0, samples);
    ASSERT_EQ(times.size(), expected.size());
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], 1e-12);
    EXPECT_EQ(times.back(), plan.duration);
  };
  expect({.duration = 0.1, .step = 0.007}, {0, 0.021, 0.063}, {0.021, 0.063, 0.1});
  expect({.duration = 0.1, .step = 0.007}, {0, 0.03, 0.033, 0.1}, {0.028, 0.035, 0.1});
  expect({.duration = 0.1, .step = 0.03}, {0.095}, {0.09, 0.1});
  expect({.duration = 0.1, .tolerance = 0.01}, {0, 0.03, 0.03, 0.033}, {0.03, 0.033, 0.1});
}

/// Roots that move when all has been at rest for long: batches passed over them in six steps, as if nothing
/// had been there. What the roots bring in is the same to all, within the tolerance.
TEST(FibreRuns, SeeRootsThatMoveLate) {
  const TemporaryFolder folder;
  const auto path = folder.write("late.toml", R"scene([simulation]
duration = 13
tolerance = 1e-3
frames = 0.01
integrator = "energy-momentum"
[model]
kind = "fibres"
count = 3
segments = [5, 6]
length = 0.11
direction = [0, 0, -1]
radius = 0.05
thickness = 1e-3
young = 3e9
torsion = 1e9
density = 1300
damping = 1e-4
drag = 1e-3
[[motion]]
x = "0.02 * smoothstep((t - 6.1)/0.2) * (1 - smoothstep((t - 6.4)/0.2))"
)scene");
  int number = 0;
  const auto supports = [&](const std::vector<Override>& changes) {
    const RunOptions options{.folder = folder / std::to_string(++number)};  // in which books are kept
    const RunReport report = SceneRun(load_scene(path, changes), options).simulate();
    EXPECT_EQ(report.status, RunStatus::done);
    return report.balance.end.supports;
  };
  const double right = supports({{"pieces", "joint"}, {"tolerance", "1e-4"}});
  EXPECT_GT(right, 1e-6);
  EXPECT_NEAR(supports({}), right, 2e-3 * right);
  EXPECT_NEAR(supports({{"integrator", "auto"}}), right, 2e-3 * right);
}

}  // namespace
}  // namespace stiffly
