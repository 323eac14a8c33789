// What frames have of obstacles and of what touches them, against distances and against the law of contact.
#include "stiffly/results/drawing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Geometry>

#include "stiffly/contact/obstacle.hpp"
#include "stiffly/error.hpp"
#include "stiffly/results/frame_reader.hpp"
#include "stiffly/results/scene_run.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;
using test::TemporaryFolder;

/// Every kind of obstacle far from two particles, and one, a plane that rises, near one of them.
const std::string with_obstacles = R"([simulation]
duration = 0.23
step = 0.007
integrator = "newmark"
frames = 30
gravity = [0, 0, -9.81]
[[particle]]
position = [0.3, -0.2, 0.031]
mass = 0.7
[[particle]]
position = [0.1, 0.4, 5]
mass = 0.2
pinned = true
[contact]
stiffness = 310
range = 0.04
radius = 0.003
[[obstacle]]
shape = "half-space"
z = "0.013 * t"
[[obstacle]]
shape = "sphere"
point = [7, 0, 0.3]
radius = 0.9
[[obstacle]]
shape = "box"
point = [-7, 0, 0.3]
sides = [0.5, 1.7, 0.6]
pivot = [-7, 0, 0]
rotation_z = "3 * t"
x = "0.2 * t"
[[obstacle]]
shape = "capsule"
point = [0, 7, 0.3]
end = [0.3, 8, 1.1]
radius = 0.2
)";

// The surface is where the distance from the solid is zero, at the start and later; it is closed, and its
// triangles run around directions that point out.
TEST(Drawing, ObstaclesLookAsTheyAre) {
  const TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("scene.toml", with_obstacles));
  const std::vector<ObstacleSurface>& surfaces = scene.body.obstacles;
  const std::array shapes = {half_space({0, 0, 0}, {0, 0, 1}), ball({7, 0, 0.3}, 0.9),
                             cuboid({-7, 0, 0.3}, {0.25, 0.85, 0.3}),
                             capsule({0, 7, 0.3}, {0.3, 8, 1.1}, 0.2)};
  ASSERT_EQ(surfaces.size(), shapes.size());
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    EXPECT_EQ(surfaces[k].endless, k == 0);
    const Obstacle solid(shapes[k], surfaces[k].motion);
    for (const double time : {0.0, 0.19}) {
      const std::vector<Point> points = surfaces[k].placed(time);
      const PlacedShape there = solid.at(time);
      Vector3d around = Vector3d::Zero();
      for (const Triangle& t : surfaces[k].triangles) {
        std::array<Vector3d, 3> x;
        for (std::size_t i = 0; i < 3; ++i)
          x[i] = Vector3d::Map(points[static_cast<std::size_t>(t[i])].data());
        for (const Vector3d& corner : x) EXPECT_NEAR(there.within(INFINITY, corner)->value, 0, 1e-12);
        const Vector3d area = (x[1] - x[0]).cross(x[2] - x[0]), middle = (x[0] + x[1] + x[2]) / 3;
        if (area.norm() > 1e-9) {
          EXPECT_GT(area.dot(there.within(INFINITY, middle + 1e-6 * area.normalized())->gradient), 0) << k;
        }
        around += area;
      }
      if (k > 0) {
        EXPECT_LT(around.norm(), 1e-12) << k << " is not closed";
      }
      // A pose says the same.
      const Pose pose = surfaces[k].pose(time);
      const auto column = [&](std::size_t i) { return Vector3d(Vector3d::Map(pose[i].data())); };
      const Point& start = surfaces[k].points[3];
      Vector3d x = column(0);
      for (std::size_t i = 0; i < 3; ++i) x += start[i] * (column(i + 1) - column(0));
      EXPECT_LT((x - Vector3d::Map(points[3].data())).norm(), 1e-12);
    }
  }
}

// κ(d − g)²/d, g being the gap between the ball around the particle and the plane.
TEST(Drawing, ContactIsTheForceOfWhatTouches) {
  const TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("scene.toml", with_obstacles));
  EXPECT_TRUE(topology(scene).contact);
  const FrameMaker make(scene);
  State state = scene.body.start;
  for (const double time : {0.0, 0.21}) {
    state.time = time;
    const double gap = 0.031 - 0.013 * time - 0.003;
    const FrameContents frame = make(state);
    ASSERT_EQ(frame.contact.size(), 2u);
    EXPECT_NEAR(frame.contact[0], 310 * std::pow(0.04 - gap, 2) / 0.04, 1e-12);
    EXPECT_EQ(frame.contact[1], 0);
    ASSERT_EQ(frame.poses.size(), 4u);
    EXPECT_NEAR(frame.poses[0][0][2], 0.013 * time, 1e-15);
  }
  EXPECT_FALSE(topology(load_scene(find_scene("chain"))).contact);
}

TEST(Drawing, FilesHaveObstaclesAndContact) {
  const TemporaryFolder folder;
  SceneRun run(load_scene(folder.write("scene.toml", with_obstacles)), {.folder = folder / "out"});
  run.simulate();
  const FrameReader file(folder / "out" / "frames.h5");
  const Topology read = file.topology();
  const std::vector<ObstacleSurface>& made = run.scene().body.obstacles;
  ASSERT_EQ(read.obstacles.size(), made.size());
  EXPECT_TRUE(read.contact);
  for (std::size_t k = 0; k < made.size(); ++k) {
    EXPECT_EQ(read.obstacles[k].points, made[k].points);
    EXPECT_EQ(read.obstacles[k].triangles, made[k].triangles);
    EXPECT_EQ(read.obstacles[k].endless, made[k].endless);
  }
  ASSERT_EQ(file.frames(), 7u);
  double most = 0;
  for (std::size_t i = 0; i < file.frames(); ++i) {
    const double time = file.times()[i], gap = file.positions(i)[2] - 0.013 * time - 0.003;
    const double expected = gap < 0.04 ? 310 * std::pow(0.04 - gap, 2) / 0.04 : 0;
    EXPECT_NEAR(file.contact(i)[0], expected, 1e-6 * (1 + expected)) << "in single precision";
    most = std::max(most, expected);
    const std::vector<double> poses = file.poses(i);
    ASSERT_EQ(poses.size(), 48u);
    for (std::size_t k = 0; k < made.size(); ++k)
      for (std::size_t entry = 0; entry < 12; ++entry)
        EXPECT_EQ(poses[12 * k + entry], made[k].pose(time)[entry / 3][entry % 3]);
  }
  EXPECT_GT(most, 0.5);
}

// A file from somewhere must not be drawn past the ends of its arrays.
TEST(Drawing, ObstaclesThatAreNotWholeAreRefused) {
  const TemporaryFolder folder;
  ObstacleSurface broken{.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .triangles = {{0, 1, 3}}};
  FrameFile(folder / "frames.h5", 1, {.obstacles = {broken}});
  EXPECT_THROW(FrameReader(folder / "frames.h5").topology(), InputError);
  broken.triangles = {{0, 1, 2}};
  FrameFile(folder / "frames.h5", 1, {.obstacles = {broken}});
  EXPECT_EQ(FrameReader(folder / "frames.h5").topology().obstacles.size(), 1u);
}

}  // namespace
}  // namespace stiffly
