// Obstacles of a scene file against the same made by hand.
#include "stiffly/scene/obstacles.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "contact/bodies.hpp"
#include "stiffly/contact/closed_surface.hpp"
#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/error.hpp"
#include "stiffly/mesh/mesh.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::TemporaryFolder;

const std::string one_particle = R"([simulation]
duration = 2
[[particle]]
position = [0.3, -0.2, 3]
mass = 0.7
[contact]
stiffness = 310
range = 0.4
radius = 0.05
)";

/// The force on a particle, by the scene and by obstacles made by hand, at random places and two times.
void expect_the_same(const Scene& scene, std::vector<Obstacle> obstacles) {
  const ObstacleRepulsion force(std::move(obstacles), {0.05}, {310, 0.4});
  std::mt19937 random(5);
  int touched = 0;
  for (int trial = 0; trial < 200; ++trial)
    for (const double time : {0.0, 1.3}) {
      const Eigen::Vector3d x = test::random_point(random), v(0, 0, 0);
      std::vector<double> expected(3, 0.0);
      force.add_force({time, 1, {x.data(), 3}, {v.data(), 3}}, expected);
      const State state(time, std::span<const double>(x.data(), 3), std::span<const double>(v.data(), 3));
      Vector f(3);
      scene.system().force(time, state.x(), state.v(), f);
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(host(f)[i], expected[i], 1e-11 * (1 + std::abs(expected[i])));
      touched += expected[0] != 0;
    }
  EXPECT_GT(touched, 20);
}

TEST(SceneObstacles, AreThoseOfTheFile) {
  const TemporaryFolder folder;
  const auto load = [&](const std::string& keys) {
    return load_scene(folder.write("scene.toml", one_particle + "[[obstacle]]\n" + keys));
  };
  expect_the_same(load("shape = \"half-space\"\npoint = [0, 0, -0.5]\nnormal = [0.2, 0, 3]\n"),
                  {Obstacle(half_space({0, 0, -0.5}, {0.2, 0, 3}))});
  expect_the_same(load("shape = \"sphere\"\npoint = [0.1, 0, 0]\nradius = 0.8\n"),
                  {Obstacle(ball({0.1, 0, 0}, 0.8))});
  expect_the_same(load("shape = \"sphere\"\npoint = [0, 0, 2.4]\nradius = 2.5\nhollow = true\n"),
                  {Obstacle(hollow(ball({0, 0, 2.4}, 2.5)))});
  expect_the_same(load("shape = \"capsule\"\npoint = [-1, 0, 0]\nend = [1, 0.3, 0]\nradius = 0.3\n"),
                  {Obstacle(capsule({-1, 0, 0}, {1, 0.3, 0}, 0.3))});
  expect_the_same(load("shape = \"box\"\npoint = [0, 0.1, 0]\nsides = [0.8, 1.2, 1.6]\n"),
                  {Obstacle(cuboid({0, 0.1, 0}, {0.4, 0.6, 0.8}))});
  std::vector<Obstacle> room;
  for (auto& wall : walls({0.2, 0.1, 1.3}, {0.9, 0.8, 2.1})) room.emplace_back(std::move(wall));
  expect_the_same(load("shape = \"box\"\npoint = [0.2, 0.1, 1.3]\nsides = [1.8, 1.6, 4.2]\nhollow = true\n"),
                  room);
  // What is drawn encloses a volume: of a hollow a negative one, whose front is seen from within.
  const auto volume = [](const Scene& scene) {
    const ObstacleSurface& s = scene.body.obstacles.at(0);
    double out = 0;
    for (const Triangle& t : s.triangles) {
      const auto at = [&](std::size_t i) {
        return Eigen::Vector3d::Map(s.points[static_cast<std::size_t>(t[i])].data());
      };
      out += at(0).dot(at(1).cross(at(2))) / 6;
    }
    return out;
  };
  struct Case {
    std::string shape, away, around;  // where it is beside the particle, and where around it
    double volume;
  };
  for (const auto& [shape, away, around, expected] :
       {Case{"shape = \"box\"\nsides = [1.8, 1.2, 1.6]\n", "[0, 0.1, 0]", "[0, 0, 3]", 1.8 * 1.2 * 1.6},
        Case{"shape = \"sphere\"\nradius = 0.8\n", "[0, 0, 0]", "[0, 0, 3]", 4 * M_PI / 3 * 0.512},
        Case{"shape = \"capsule\"\nend = [0, 0, 1.5]\nradius = 1\n", "[0, 0, -0.5]", "[0, 0, 3.5]",
             4 * M_PI / 3 + 2 * M_PI}}) {
    EXPECT_NEAR(volume(load(shape + "point = " + away + "\n")), expected, 0.03 * expected) << shape;
    EXPECT_NEAR(volume(load(shape + "point = " + around + "\nhollow = true\n")), -expected, 0.03 * expected)
        << shape;
  }
  const auto turning = std::make_shared<KeyframeMotion>(
      std::vector<Keyframe>{{.time = 0}, {.time = 1.7, .shift = {0.3, 0, 0.2}, .rotation = {0, 2, 0}}},
      Eigen::Vector3d(0, 0.1, 0));
  expect_the_same(load("shape = \"box\"\nsides = [0.8, 1.2, 1.6]\ntimes = [0, 1.7]\npivot = [0, 0.1, 0]\n"
                       "shifts = [[0, 0, 0], [0.3, 0, 0.2]]\nrotations = [[0, 0, 0], [0, 2, 0]]\n"),
                  {Obstacle(cuboid({0, 0, 0}, {0.4, 0.6, 0.8}), turning)});

  test::Surface body = test::bumpy(1);
  mesh::Mesh file{body.points, body.triangles, {}, {}, {}};
  mesh::write_obj(folder.path() / "body.obj", file);
  for (Eigen::Vector3d& x : body.points) x = 0.7 * x + Eigen::Vector3d(0.1, 0.2, 0.3);
  expect_the_same(load("shape = \"mesh\"\nfile = \"body.obj\"\nfile_scale = 0.7\npoint = [0.1, 0.2, 0.3]\n"),
                  {Obstacle(std::make_shared<ClosedSurface>(body.points, body.triangles))});
  file.triangles.pop_back();
  mesh::write_obj(folder.path() / "body.obj", file);
  try {
    load("shape = \"mesh\"\nfile = \"body.obj\"\n");
    FAIL() << "an open surface";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("scene.toml:10: the surface is not closed"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(load("shape = \"mesh\"\nfile = \"missing.obj\"\n"), FileError);
}

TEST(SceneObstacles, PushOutWhatBeginsInside) {
  const TemporaryFolder folder;
  const Scene scene = load_scene(folder.write(
      "scene.toml", one_particle +
                        "push_apart = true\n[[obstacle]]\nshape = \"sphere\"\npoint = [0.1, -0.2, 3.2]\n"
                        "radius = 1.1\n[[obstacle]]\nshape = \"half-space\"\npoint = [0, 0, 2.5]\n"));
  const auto x = host(scene.body.start.x());
  EXPECT_GE((Eigen::Vector3d::Map(x.data()) - Eigen::Vector3d(0.1, -0.2, 3.2)).norm(), 1.15);
  EXPECT_GE(x[2], 2.55);
  EXPECT_EQ(scene.system().touch(scene.body.start)->deepest, 0);
}

TEST(SceneObstacles, TellOfKeysWithoutEffect) {
  const TemporaryFolder folder;
  const Scene scene = load_scene(folder.write(
      "scene.toml", one_particle + "[[obstacle]]\nshape = \"sphere\"\nradius = 1\nsides = [1, 1, 1]\n"));
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_NE(scene.warnings[0].text().find("'sides' in [[obstacle]] has no effect"), std::string::npos);
}

}  // namespace
}  // namespace stiffly
