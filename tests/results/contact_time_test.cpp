// How long obstacles were touched, against ways that are known: a ball slides over things at a given speed.
#include "stiffly/results/contact_time.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Geometry>
#include <numeric>

#include "stiffly/error.hpp"
#include "stiffly/files/hdf5.hpp"
#include "stiffly/results/checkpoint_file.hpp"
#include "stiffly/results/frame_reader.hpp"
#include "stiffly/results/motion_picture.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;
using test::contents;
using test::TemporaryFolder;

constexpr double touch_radius = 0.013, touch_range = 0.004;

/// Free particles, which nothing is between, and obstacles; [contact] with these keys, besides the radius.
Scene balls(const TemporaryFolder& folder, int count, const std::string& obstacles,
            const std::string& contact = "stiffness = 9\nrange = 0.004\n",
            const std::string& simulation = "step = 0.0007\nintegrator = \"newmark\"\n") {
  std::string text = "[simulation]\nduration = 0.0913\nframes = 101\n" + simulation +
                     "gravity = [0, 0, 0]\n[contact]\nradius = 0.013\n" + contact;
  for (int i = 0; i < count; ++i)
    text += "[[particle]]\nmass = 0.7\nposition = [" + std::to_string(5 + i) + ", 0, 9]\n";
  return load_scene(folder.write("scene.toml", text + obstacles));
}

/// The state in which they are at these places.
State state_at(const Scene& scene, double time, const std::vector<Vector3d>& places) {
  State out = scene.body.start;
  out.time = time;
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  for (std::size_t i = 0; i < places.size(); ++i)
    Vector3d::Map(out.x().data() + 3 * system.rank()[i]) = places[i];
  return out;
}

double sum_of(const std::vector<double>& times) { return std::accumulate(times.begin(), times.end(), 0.0); }

const std::string box_on_the_left = R"([[obstacle]]
shape = "box"
point = [0.1, 0.2, -0.15]
sides = [0.4, 0.3, 0.3]
)";

// Over a box with its top at z = 0, from x = −0.17 on at 3.1 m/s: above it from x = −0.1 to 0.3. Beyond its
// edges it touches as long as it is within reach of them. The sum of all is the time of contact, and only
// corners of triangles on the way have any, each as much as passes at the places nearest to it.
TEST(ContactTime, IsWhereABallSlides) {
  const TemporaryFolder folder;
  const Scene scene = balls(folder, 1, box_on_the_left + R"([[obstacle]]
shape = "sphere"
point = [0.1, 2, 0]
radius = 0.3
)");
  ASSERT_TRUE(ContactTime::possible(scene.body));
  const double height = touch_radius + 0.0031, reach = touch_radius + touch_range, speed = 3.1, step = 0.0007;
  const double beyond = std::sqrt(reach * reach - height * height);
  ContactTime times(scene);
  const std::vector<Point>& points = scene.body.obstacles[0].points;
  ASSERT_EQ(times.size(), points.size() + scene.body.obstacles[1].points.size());
  for (int k = 0; k <= 231; ++k) {
    times.see(state_at(scene, k * step, {{-0.17 + speed * k * step, 0.211, height}}));
    times.see(state_at(scene, k * step, {{-0.17 + speed * k * step, 0.211, height}}));  // twice is once
  }
  const std::vector<double> out = times.now();
  EXPECT_NEAR(sum_of(out), (0.4 + 2 * beyond) / speed, step);
  double centre = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i >= points.size()) {
      EXPECT_EQ(out[i], 0) << "of the sphere, which nothing touches";
      continue;
    }
    centre += out[i] * points[i][0] / sum_of(out);
    EXPECT_GE(out[i], 0);
    if (out[i] < 1e-12) continue;  // on an edge, faces that meet there are as near but for rounding
    EXPECT_EQ(points[i][2], 0) << "of the top";
    EXPECT_NEAR(points[i][1], 0.211, 0.4 / 20) << "of the line below the ball";
  }
  EXPECT_NEAR(centre, 0.1, speed * step);
  // Too high by a little, nothing touches.
  ContactTime high(scene);
  for (int k = 0; k <= 231; ++k)
    high.see(state_at(scene, k * step, {{-0.17 + speed * k * step, 0.211, reach + 1e-9}}));
  EXPECT_EQ(sum_of(high.now()), 0);
}

// Three balls on a sphere for unequal times, two of them at one place, and within it, which is no less; steps
// of different lengths. Each step counts by what is there at its end.
TEST(ContactTime, CountsEveryThing) {
  const TemporaryFolder folder;
  const Scene scene =
      balls(folder, 3, "[[obstacle]]\nshape = \"sphere\"\nradius = 0.31\npoint = [0, 0, 1]\n");
  const Vector3d up = Vector3d(0.2, -0.3, 0.7).normalized(), side = Vector3d(0.8, 0.1, -0.2).normalized(),
                 centre(0, 0, 1), away(0, 0, 9);
  const auto at = [&](const Vector3d& direction, double gap) -> Vector3d {
    return centre + (0.31 + touch_radius + gap) * direction;
  };
  ContactTime times(scene);
  times.see(state_at(scene, 0.2, {at(up, 0), at(up, 0), at(up, 0)}));
  EXPECT_EQ(sum_of(times.now()), 0) << "nothing has lasted yet";
  times.see(state_at(scene, 0.2007, {at(up, 0.001), at(up, -0.02), away}));
  times.see(state_at(scene, 0.2107, {at(up, 0.0039), at(side, 0), at(side, 0.0041)}));
  times.see(state_at(scene, 0.21333, {away, away, away}));
  const std::vector<double> out = times.now();
  EXPECT_NEAR(sum_of(out), 2 * 0.0007 + 2 * 0.01, 1e-15);
  double above = 0, beside = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Vector3d direction = Vector3d::Map(scene.body.obstacles[0].points[i].data()) - centre;
    (direction.dot(up) > direction.dot(side) ? above : beside) += out[i];
    if (out[i] > 0) {
      EXPECT_GT(std::max(direction.dot(up), direction.dot(side)), 0.31 * std::cos(0.15));
    }
  }
  EXPECT_NEAR(above, 2 * 0.0007 + 0.01, 1e-15);
  EXPECT_NEAR(beside, 0.01, 1e-15);
}

// Within a step it grows evenly.
TEST(ContactTime, IsKnownWithinTheLastStep) {
  const TemporaryFolder folder;
  const Scene scene = balls(folder, 1, box_on_the_left);
  ContactTime times(scene);
  times.see(state_at(scene, 0, {{0.1, 0.2, 0.013}}));
  times.see(state_at(scene, 0.0007, {{0.1, 0.2, 0.013}}));
  times.see(state_at(scene, 0.0107, {{0.11, 0.2, 0.013}}));
  EXPECT_NEAR(sum_of(times.at(0.0007)), 0.0007, 1e-16);
  EXPECT_NEAR(sum_of(times.at(0.0037)), 0.0037, 1e-16);
  EXPECT_NEAR(sum_of(times.at(0.0107)), 0.0107, 1e-16);
  EXPECT_EQ(times.at(0.0107 + 1e-12), times.now()) << "times of frames are rounded";
}

// A box that turns and goes along, and a ball that keeps to one place of it: in its own frame that is one
// place, the one where the ball began.
TEST(ContactTime, GoesAlongWithWhatMoves) {
  const TemporaryFolder folder;
  const Scene scene =
      balls(folder, 1, box_on_the_left + "pivot = [0.1, 0, 0]\nrotation_z = \"31 * t\"\nx = \"7 * t\"\n");
  const ObstacleSurface& box = scene.body.obstacles[0];
  const Vector3d place(0.2371, 0.1193, 0.013);
  ContactTime times(scene);
  for (int k = 0; k <= 97; ++k) {
    const double t = k * 0.0011;
    const Pose pose = box.pose(t);
    Vector3d x = Vector3d::Map(pose[0].data());
    for (std::size_t axis = 0; axis < 3; ++axis)
      x += place[static_cast<Eigen::Index>(axis)] *
           (Vector3d::Map(pose[axis + 1].data()) - Vector3d::Map(pose[0].data()));
    times.see(state_at(scene, t, {x}));
  }
  const std::vector<double> out = times.now();
  EXPECT_NEAR(sum_of(out), 97 * 0.0011, 1e-13);
  Vector3d mean = Vector3d::Zero();
  for (std::size_t i = 0; i < out.size(); ++i)
    mean += out[i] / sum_of(out) * Vector3d::Map(box.points[i].data());
  EXPECT_LT((mean - Vector3d(0.2371, 0.1193, 0)).norm(), 1e-12) << "weights give the place back";
  EXPECT_LE(std::ranges::count_if(out, [](double t) { return t > 1e-12; }), 3);
}

// A ball that falls on a box, by every response: the sum of the steps at whose ends it is as near as that. A
// plane, however long something lies on it, has none, nor has a pinned particle that is inside something.
TEST(ContactTime, IsSeenWhateverIsDoneAboutContact) {
  struct Case {
    std::string contact, simulation;
    double reach;
  };
  const std::string law = "stiffness = 9000\nrange = 0.004\n";
  for (const auto& [contact, simulation, reach] :
       {Case{law, "step = 0.0007\nintegrator = \"energy-momentum\"\n", 0.004},
        Case{law + "response = \"repulsion\"\n", "tolerance = 1e-3\nintegrator = \"ros3pl\"\n", 0.004},
        Case{"response = \"projection\"\n", "step = 0.0007\nintegrator = \"verlet\"\n", 0.0013 + 0.00013},
        Case{law + "response = \"barrier\"\n", "step = 0.0007\nintegrator = \"backward-euler\"\n", 0.004}}) {
    SCOPED_TRACE(contact);
    const TemporaryFolder folder;
    std::string text = "[simulation]\nduration = 0.133\nframes = 101\ngravity = [0, 0, -9.81]\n";
    text += simulation;
    text += "[contact]\nradius = 0.013\n";
    text += contact;
    text += R"([[particle]]
position = [0.05, 0.23, 0.0193]
mass = 0.03
[[particle]]
position = [0.1, 0.2, -0.1]
mass = 1
pinned = true
[[particle]]
position = [3, 0.2, -1.4869]
mass = 0.02
[[obstacle]]
shape = "half-space"
point = [0, 0, -1.5]
)";
    text += box_on_the_left;
    SceneRun run(load_scene(folder.write("scene.toml", text)), {.folder = folder / "out", .pictures = false});
    double expected = 0, before = 0;
    const RunReport report =
        run.simulate({.step = [&, near = reach](const State& state, const SimulationSummary&) {
          const double height = run.scene().positions(state)[0][2];
          if (height - touch_radius < near) expected += state.time - before;
          before = state.time;
          return true;
        }});
    ASSERT_EQ(report.status, RunStatus::done) << report.error;
    ASSERT_NE(run.contact_time(), nullptr);
    const std::vector<double> out = run.contact_time()->now();
    EXPECT_NEAR(sum_of(out), expected, 1e-13);
    EXPECT_GT(expected, 0.01);
    EXPECT_LT(expected, 0.12) << "it falls first";
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(out[i], 0) << "of the plane";
  }
}

// Fibres are drawn by the middles of their cross-sections, and touch by them.
TEST(ContactTime, OfFibresIsThatOfTheirSections) {
  const TemporaryFolder folder;
  const std::string text = R"([simulation]
duration = 0.01
step = 0.0007
integrator = "energy-momentum"
[model]
kind = "fibres"
segments = [4, 4]
count = 3
radius = 0.02
length = 0.1
thickness = 0.002
tip_thickness = 0.002
direction = [0, 0, -1]
centre = [0, 0, 0]
[contact]
stiffness = 30
range = 0.0004
radius = 0.0001
[[obstacle]]
shape = "box"
point = [0, 0, -0.2]
sides = [0.5, 0.5, 0.1]
)";
  Scene scene = load_scene(folder.write("scene.toml", text));
  const DrawnPoints points(scene.body, scene.particles());
  ASSERT_LT(points.size(), scene.particles());
  std::vector<Point> middles = points.of(scene.positions(scene.body.start));
  double lowest = 0;
  for (const Point& x : scene.positions(scene.body.start)) lowest = std::min(lowest, x[2]);
  // The box is raised to just below the tips: of every fibre the last section touches, and no other.
  for (const auto& [gap, things] : {std::pair{0.0003, 3.0}, std::pair{0.0006, 0.0}}) {
    ObstacleSurface& box = scene.body.obstacles[0];
    box.solid = cuboid({0, 0, lowest - 0.05 - gap}, {0.25, 0.25, 0.05});
    ContactTime times(scene);
    State state = scene.body.start;
    times.see(state);
    state.time += 0.0007;
    times.see(state);
    EXPECT_NEAR(sum_of(times.now()), things * 0.0007, 1e-16);
  }
}

const std::string slide = R"([simulation]
duration = 0.0913
frames = 101
step = 0.0007
integrator = "newmark"
[contact]
radius = 0.013
stiffness = 9
range = 0.004
[[particle]]
mass = 0.7
position = [-0.17, 0.211, 0.0169]
velocity = [3.1, 0, 0]
[[obstacle]]
shape = "half-space"
point = [0, 0, -5]
)" + box_on_the_left;

// Frames have it at their own times, which are within steps: single precision, zeros at first, never less
// than before, and from a little after the ball has left the box on as much as it had there. A run without
// frames and pictures does not count, one without a folder only for an observer that asks.
TEST(ContactTime, IsInFrames) {
  const TemporaryFolder folder;
  SceneRun run(load_scene(folder.write("scene.toml", slide)), {.folder = folder / "out"});
  run.simulate();
  const FrameReader file(folder / "out" / "frames.h5");
  EXPECT_TRUE(file.topology().contact_time);
  const std::size_t points = arrays_of(run.scene().body.obstacles).owner.size();
  ASSERT_EQ(file.contact_time_points(), points);
  ASSERT_EQ(file.frames(), 10u);
  double before = 0;
  for (std::size_t k = 0; k < file.frames(); ++k) {
    const std::vector<double> row = file.contact_time(k);
    ASSERT_EQ(row.size(), points);
    const double x = file.positions(k)[0], sum = sum_of(row);
    EXPECT_NEAR(sum, x < -0.1 ? 0 : (x + 0.1) / 3.1, 0.0007 + 0.0014) << x;
    EXPECT_GE(sum, before);
    before = sum;
  }
  EXPECT_GT(before, 0.02);
  EXPECT_EQ(run.record().contact_times.size(), run.record().snapshots.size());
  const auto counts = [&](RunOptions options, const std::vector<Override>& changes, bool asks) {
    SceneRun other(load_scene(folder / "scene.toml", changes), std::move(options));
    RunObserver observer;
    observer.contact_time = asks;
    other.simulate(observer);
    return other.contact_time() != nullptr;
  };
  const std::vector<Override> no_frames = {{"simulation.frames", "0"}};
  EXPECT_FALSE(counts({.folder = folder / "none", .pictures = false}, no_frames, false));
  EXPECT_TRUE(counts({.folder = folder / "none", .pictures = true}, no_frames, false));
  EXPECT_FALSE(counts({}, {}, false));
  EXPECT_TRUE(counts({}, {}, true));
  EXPECT_FALSE(ContactTime::possible(load_scene(find_scene("chain")).body));
}

// Stopped at any step and gone on with: the same bytes of frames and picture.
TEST(ContactTime, GoesOnInAResumedRunToTheBit) {
  const TemporaryFolder folder;
  const std::filesystem::path scene = folder.write("scene.toml", slide);
  SceneRun(load_scene(scene), {.folder = folder / "whole"}).simulate();
  for (const long stop : {37, 61}) {
    SceneRun(load_scene(scene), {.folder = folder / "parts", .checkpoint_seconds = 0})
        .simulate({.step = [&](const State&, const SimulationSummary& s) { return s.steps < stop; }});
    SceneRun(load_scene(scene), {.resume = folder / "parts"}).simulate();
    const FrameReader whole(folder / "whole/frames.h5"), parts(folder / "parts/frames.h5");
    ASSERT_EQ(whole.frames(), parts.frames());
    for (std::size_t k = 0; k < whole.frames(); ++k) EXPECT_EQ(whole.contact_time(k), parts.contact_time(k));
    EXPECT_EQ(contents(folder / "whole/motion.png"), contents(folder / "parts/motion.png"));
  }
}

// Of a checkpoint that says something no run has saved, the array is named.
TEST(ContactTime, OfADamagedCheckpointIsRefused) {
  const TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("scene.toml", slide));
  SceneRun(load_scene(folder / "scene.toml"), {.folder = folder / "out", .checkpoint_seconds = 0})
      .simulate({.step = [&](const State&, const SimulationSummary& s) { return s.steps < 61; }});
  const std::filesystem::path path = folder / "out/checkpoint.bin";
  const std::size_t points = arrays_of(scene.body.obstacles).owner.size();
  const auto read = [&](std::size_t obstacle_points) {
    return read_checkpoint(path, scene.resolved, scene.body.start, scene.system().dissipators().size(),
                           obstacle_points);
  };
  const SavedRun sound = read(points);
  EXPECT_GT(sum_of(sound.contact_time), 0.01);
  const auto refused = [&](const SavedRun& run, const std::string& name) {
    write_checkpoint(path, {run.checkpoint, run.scene, run.record, run.source, run.vtu, run.contact_time});
    try {
      read(points);
      ADD_FAILURE() << "it was taken: " << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("'" + name + "'"), std::string::npos) << error.what();
    }
  };
  EXPECT_THROW(read(points + 3), InputError) << "of other obstacles";
  SavedRun shorter = sound, below = sound, none = sound, row_short = sound, not_finite = sound;
  shorter.contact_time.pop_back();
  refused(shorter, "contact_time");
  below.contact_time[7] = -1e-9;
  refused(below, "contact_time");
  none.contact_time.clear();
  refused(none, "record/contact_times");
  row_short.record.contact_times.pop_back();
  refused(row_short, "record/contact_times");
  not_finite.record.contact_times[1][5] = NAN;
  refused(not_finite, "record/contact_times");
}

// Files without it are read as ever, and gone on with; ones with another number of points are refused.
TEST(ContactTime, OfFilesFitsTheirObstacles) {
  const TemporaryFolder folder;
  const ObstacleSurface corner{.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .triangles = {{0, 1, 2}}};
  Topology shape{.obstacles = {corner}};
  FrameContents frame{.time = 0.1, .positions = {{0, 0, 1}}, .velocities = {{0, 0, 0}}, .poses = {{}}};
  for (const bool timed : {false, true}) {
    SCOPED_TRACE(timed);
    shape.contact_time = timed;
    {
      FrameFile file(folder / "frames.h5", 1, shape);
      if (timed) frame.contact_time = {0, 0.0007, 1.3};
      file.add(frame);
      file.flush();
    }
    FrameFile file = FrameFile::resume(folder / "frames.h5", 1, 1);
    frame.contact_time = {0.1, 0.2, 1.7};
    file.add(frame);
    file.flush();
    const FrameReader read(folder / "frames.h5");
    EXPECT_EQ(read.frames(), 2u);
    EXPECT_EQ(read.topology().contact_time, timed);
    EXPECT_EQ(read.contact_time_points(), timed ? 3u : 0u);
    ASSERT_EQ(read.contact_time(1).size(), timed ? 3u : 0u);
    if (timed) {
      EXPECT_FLOAT_EQ(static_cast<float>(read.contact_time(0)[1]), 0.0007f);
      EXPECT_FLOAT_EQ(static_cast<float>(read.contact_time(1)[2]), 1.7f);
    }
    frame.contact_time.clear();
  }
  {
    Hdf5Writer file(folder / "mixed.h5");
    file.write("format", std::string("stiffly frames 2"));
    for (const char* name : {"triangles", "tetrahedra", "springs"}) file.write(name, std::vector<int>{}, 3);
    file.table("time", {});
    for (const char* name : {"position", "velocity"}) file.table(name, {1, 3});
    file.table("obstacle_contact", {2});
    file.finish();
  }
  EXPECT_THROW(FrameReader(folder / "mixed.h5").topology(), InputError) << "times without obstacles";
}

// Where nothing was touched, pictures are as if nobody had counted; where something was, they are not.
TEST(ContactTime, ColoursPicturesWhereSomethingWasTouched) {
  const TemporaryFolder folder;
  for (const bool touched : {false, true}) {
    std::string text = slide;
    if (!touched) text.replace(text.find("0.0169"), 6, "0.0371");
    SceneRun run(load_scene(folder.write("scene.toml", text)), {.folder = folder / "out"});
    run.simulate();
    Record record = run.record();
    EXPECT_EQ(sum_of(record.contact_times.back()) > 0, touched);
    const std::string counted = motion_png(run.scene(), record);
    record.contact_times.clear();
    EXPECT_EQ(motion_png(run.scene(), record) != counted, touched);
  }
}

}  // namespace
}  // namespace stiffly
