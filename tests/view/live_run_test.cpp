// A run that is looked at: it pauses, makes single steps, and what pulls at it is a load of the simulation.
#include "stiffly/view/live_run.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "stiffly/error.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly::view {
namespace {

using nlohmann::json;
using test::TemporaryFolder;

constexpr double mass = 1.7, stiffness = 61.0, duration = 0.83;
const Eigen::Vector3d start(0.3, -0.2, 0.9), point(1.1, 0.4, 0.1);

/// One particle that nothing else acts on, and one that is held.
Scene loose(const TemporaryFolder& folder,
            const std::string& more = "step = 0.0037\nintegrator = \"newmark\"") {
  std::ofstream(folder / "loose.toml") << "[simulation]\nduration = " << duration << "\n"
                                       << more << R"(
gravity = [0, 0, 0]
[[particle]]
position = [0, 0, 0]
mass = 1
pinned = true
[[particle]]
position = [0.3, -0.2, 0.9]
mass = 1.7
)";
  return load_scene(folder / "loose.toml");
}

std::string pull_order(double k = stiffness) {
  return json{{"pull", {{"particle", 1}, {"point", {point(0), point(1), point(2)}}, {"stiffness", k}}}}
      .dump();
}

Reply send(LiveRun& run, const std::string& order) { return run.order({"POST", "live", {}, order}); }

/// x'' = k(t)/m (p − x), with k rising as the hand takes hold, by many small steps of the classical
/// Runge–Kutta method; along the way from start to point.
double way_travelled(double until) {
  const double ramp = 0.02;
  const auto k = [&](double t) {
    const double s = std::min(1.0, t / ramp);
    return stiffness * s * s * (3 - 2 * s);
  };
  double x = 0, v = 0;
  const int steps = 20000;
  const double h = until / steps, whole = (point - start).norm();
  for (int i = 0; i < steps; ++i) {
    const auto a = [&](double t, double at) { return k(t) / mass * (whole - at); };
    const double t = i * h;
    const double k1 = a(t, x), k2 = a(t + h / 2, x + h / 2 * v),
                 k3 = a(t + h / 2, x + h / 2 * v + h * h / 4 * k1), k4 = a(t + h, x + h * v + h * h / 2 * k2);
    x += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return x;
}

/// Runs it as the program does.
RunReport simulate(SceneRun& run, LiveRun& live) {
  live.begin(run);
  const RunReport report = run.simulate({.step =
                                             [&](const State& state, const SimulationSummary& summary) {
                                               return live.step(state, summary, [] { return true; });
                                             },
                                         .choice = {},
                                         .frame = [&](const State& state) { live.frame(state); },
                                         .contact_time = true,
                                         .search = {},
                                         .steered = [&] { return live.steered(); }});
  live.end(report);
  return report;
}

TEST(LiveRun, PullIsALoadOfTheSimulation) {
  const TemporaryFolder folder;
  Scene scene = loose(folder);
  LiveRun live(scene, false);
  send(live, R"({"paced": false})");
  send(live, pull_order());
  SceneRun run(std::move(scene), {.folder = folder / "out"});
  const RunReport report = simulate(run, live);
  ASSERT_EQ(report.status, RunStatus::done);
  const Eigen::Vector3d x = Eigen::Vector3d::Map(run.scene().positions(run.state())[1].data());
  const Eigen::Vector3d expected = start + way_travelled(duration) * (point - start).normalized();
  EXPECT_LT((x - expected).norm(), 2e-3);  // of a way of about 2 m, by a method of second order
  EXPECT_GT((x - start).dot(point - start), 0);
  // What the hand did is in the books: no error is left but that of the steps.
  EXPECT_TRUE(report.steered);
  EXPECT_LT(std::abs(report.balance.max_error), 0.02 * report.max_kinetic_energy);
  EXPECT_TRUE(json::parse(run_json(report))["steered"].get<bool>());
  EXPECT_TRUE(std::ranges::any_of(
      report.warnings, [](const Warning& w) { return w.text().find("steered") != std::string::npos; }));
}

TEST(LiveRun, LookingOnChangesNothing) {
  const TemporaryFolder folder;
  Scene scene =
      load_scene(find_scene("chain"), std::vector<Override>{{"simulation.duration", "0.3", ""},
                                                            {"simulation.integrator", "newmark", ""},
                                                            {"simulation.step", "0.007", ""}});
  Scene plain =
      load_scene(find_scene("chain"), std::vector<Override>{{"simulation.duration", "0.3", ""},
                                                            {"simulation.integrator", "newmark", ""},
                                                            {"simulation.step", "0.007", ""}});
  LiveRun live(scene, false);
  send(live, R"({"paced": false})");
  SceneRun watched(std::move(scene)), alone(std::move(plain));
  const RunReport report = simulate(watched, live);
  alone.simulate();
  EXPECT_FALSE(report.steered);
  EXPECT_EQ(run_json(report).find("steered"), std::string::npos);
  const auto a = watched.scene().positions(watched.state()), b = alone.scene().positions(alone.state());
  double moved = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(a[i][d], b[i][d], 1e-9);
      moved = std::max(moved, std::abs(a[i][d] - alone.scene().positions(alone.scene().body.start)[i][d]));
    }
  EXPECT_GT(moved, 0.01);
}

TEST(LiveRun, PausesAndMakesSingleSteps) {
  const TemporaryFolder folder;
  Scene scene = loose(folder);
  LiveRun live(scene, true);
  SceneRun run(std::move(scene));
  std::thread simulation([&] { simulate(run, live); });
  const auto state = [&](double after) {
    const std::string bytes = live.state({"GET", "live", {{"after", std::to_string(after)}}, ""}).body;
    std::vector<double> out(7);
    std::memcpy(out.data(), bytes.data(), 7 * sizeof(double));
    EXPECT_EQ(bytes.size(), 7 * sizeof(double) + 2 * 4 * sizeof(float));
    return out;
  };
  double version = 0;
  for (int steps = 0; steps <= 3; ++steps) {
    std::vector<double> now = state(version);
    while (now[2] < steps) now = state(now[0]);
    EXPECT_EQ(now[2], steps);
    EXPECT_NEAR(now[1], steps * 0.0037, 1e-12);
    EXPECT_EQ(now[4], 1.0);  // paused
    version = now[0];
    send(live, steps < 3 ? R"({"step": true})" : R"({"paused": false, "paced": false})");
  }
  simulation.join();
  EXPECT_EQ(state(0)[6], 1.0);  // ended
  EXPECT_EQ(live.describe()["state"], "done");
  EXPECT_THROW(send(live, R"({"paused": true})"), InputError);
}

TEST(LiveRun, RefusesOrdersThatAreNone) {
  const TemporaryFolder folder;
  Scene scene = loose(folder);
  LiveRun live(scene, false);
  for (const char* order :
       {"", "{", "[]", "7", R"({"pull": 3})", R"({"pull": {"particle": 1}})", R"({"paused": "yes"})",
        R"({"pull": {"particle": 9, "point": [0,0,0], "stiffness": 1}})",
        R"({"pull": {"particle": -1, "point": [0,0,0], "stiffness": 1}})",
        R"({"pull": {"particle": 0, "point": [0,0,0], "stiffness": 1}})",  // it is held
        R"({"pull": {"particle": 1, "point": [0,0], "stiffness": 1}})",
        R"({"pull": {"particle": 1, "point": [0,0,1e999], "stiffness": 1}})",
        R"({"pull": {"particle": 1, "point": [0,0,0], "stiffness": -1}})",
        R"({"pull": {"particle": 1, "point": [0,0,0], "stiffness": 1e999}})"})
    EXPECT_THROW(send(live, order), InputError) << order;
  EXPECT_FALSE(live.steered());
}

// Of fibres the page gets centre lines, and what it pulls at is a particle of the cross-section there.
TEST(LiveRun, FibresAreCentreLines) {
  const TemporaryFolder folder;
  Scene scene = load_scene(find_scene("hair"), std::vector<Override>{{"model.count", "7", ""},
                                                                     {"simulation.duration", "0.02", ""},
                                                                     {"simulation.tolerance", "0.1", ""}});
  LiveRun live(scene, false);
  send(live, R"({"paced": false})");
  const json about = json::parse(live.describe().dump());
  const DrawnPoints points(scene.body, scene.particles());
  ASSERT_EQ(about["rows"], points.size());
  const PointOrder order(topology(scene), points.size());
  const auto [first, count] = order.strands()[4];
  const std::size_t tip = static_cast<std::size_t>(first + count - 1);
  const auto before = points.of(scene.positions(scene.body.start));
  const Point from = before[static_cast<std::size_t>(order[tip])];
  send(live,
       json{{"pull", {{"particle", tip}, {"point", {from[0], from[1] + 0.3, from[2]}}, {"stiffness", 0.01}}}}
           .dump());
  EXPECT_THROW(
      send(live, json{{"pull", {{"particle", first}, {"point", {0, 0, 0}}, {"stiffness", 1}}}}.dump()),
      InputError)
      << "roots are held";
  SceneRun run(std::move(scene));
  simulate(run, live);
  const auto after = points.of(run.scene().positions(run.state()));
  std::vector<std::pair<double, std::size_t>> moved;
  for (std::size_t i = 0; i < after.size(); ++i) moved.emplace_back(after[i][1] - before[i][1], i);
  EXPECT_EQ(std::ranges::max(moved).second, static_cast<std::size_t>(order[tip]))
      << "the tip that was pulled at";
  EXPECT_GT(std::ranges::max(moved).first, 1e-3);
  const std::string bytes = live.state({"GET", "live", {{"points", "9"}}, ""}).body;
  EXPECT_EQ(bytes.size(), 7 * sizeof(double) + 9 * 4 * sizeof(float));
  EXPECT_THROW(live.state({"GET", "live", {{"points", "-9"}}, ""}), InputError);
}

// A run that is made several times would have to be pulled at in the same way every time.
// A ball that lies on a box: the page gets for how long, behind the poses, in frames and in the newest state.
TEST(LiveRun, ObstaclesComeWithTheirTimesOfContact) {
  const TemporaryFolder folder;
  std::ofstream(folder / "rest.toml") << R"([simulation]
duration = 0.0707
step = 0.0007
frames = 100
integrator = "newmark"
gravity = [0, 0, 0]
[[particle]]
position = [0.3, -0.2, 0.012]
mass = 1.7
[contact]
stiffness = 1e-9
range = 0.01
radius = 0.007
[[obstacle]]
shape = "half-space"
point = [0, 0, -4]
[[obstacle]]
shape = "box"
point = [0, 0, -0.5]
sides = [1, 1, 1]
)";
  Scene scene = load_scene(folder / "rest.toml");
  LiveRun live(scene, false);
  send(live, R"({"paced": false})");
  SceneRun run(std::move(scene));
  simulate(run, live);
  const auto timed = live.describe()["contact_time_points"].get<std::size_t>();
  ASSERT_EQ(timed, 4 + run.scene().body.obstacles[1].points.size());
  const std::size_t each = 5 + 24 + timed;  // a particle and two obstacles
  const auto sum = [&](const std::string& bytes, std::size_t frame) {
    std::vector<float> numbers(bytes.size() / sizeof(float));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
    EXPECT_GE(numbers.size(), (frame + 1) * each);
    double out = 0;
    for (std::size_t i = frame * each + 29; i < (frame + 1) * each; ++i) out += numbers[i];
    return out;
  };
  const std::string frames = live.frames({.first = 0, .count = 100, .every = 1, .points = 1});
  ASSERT_EQ(frames.size(), 8 * each * sizeof(float));
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(sum(frames, k), 0.01 * static_cast<double>(k), 1e-8);
  // The newest state may be some steps old, as so many pictures a second will do.
  const double newest = sum(live.state({"GET", "live", {}, ""}).body.substr(7 * sizeof(double)), 0);
  EXPECT_NEAR(newest, 0.0007 * std::round(newest / 0.0007), 1e-8);
  EXPECT_LE(newest, 0.0708);
}

TEST(LiveRun, RunsToABoundAreNotSteered) {
  const TemporaryFolder folder;
  Scene scene = loose(folder, "error = 1e-2");
  LiveRun live(scene, false);
  EXPECT_FALSE(live.describe()["steerable"].get<bool>());
  EXPECT_THROW(send(live, pull_order()), InputError);
}

// Energy must not jump when the hand takes hold, moves, takes another particle, or lets go.
TEST(Hand, NeverJumps) {
  Hand hand(0.05);
  const Eigen::Vector3d a(1, 2, 3), b(-1, 0, 0.5);
  hand.pull(0.3, 4, a, 10);
  EXPECT_EQ(hand.stiffness(0.3), 0);
  EXPECT_EQ(hand.point(0.3), a);
  EXPECT_EQ(hand.stiffness(0.35), 10);
  const double half = hand.stiffness(0.317);
  EXPECT_GT(half, 0);
  hand.pull(0.317, 4, b, 20);
  EXPECT_NEAR(hand.stiffness(0.317), half, 1e-14);
  EXPECT_LT((hand.point(0.317) - a).norm(), 1e-14);
  EXPECT_NEAR(hand.stiffness(0.4), 20, 1e-12);
  EXPECT_LT((hand.point(0.4) - b).norm(), 1e-14);
  hand.pull(0.5, 7, a, 5);  // first it lets go
  EXPECT_EQ(hand.particle(), 4);
  EXPECT_NEAR(hand.stiffness(0.5), 20, 1e-12);
  hand.pull(0.6, 7, a, 5);
  EXPECT_EQ(hand.particle(), 7);
  EXPECT_EQ(hand.stiffness(0.6), 0);
  EXPECT_NEAR(hand.stiffness(0.66), 5, 1e-12);
  hand.release(0.7);
  EXPECT_NEAR(hand.stiffness(0.7), 5, 1e-12);
  EXPECT_EQ(hand.stiffness(0.76), 0);
}

}  // namespace
}  // namespace stiffly::view
