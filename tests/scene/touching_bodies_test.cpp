// Scenes in which bodies touch each other, the floor and themselves.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

Scene touching_scene(const char* name, const std::vector<Override>& overrides = {}) {
  return load_scene(find_scene(name), overrides);
}

/// The mean velocity of the free particles along x after that time.
double speed_down(const Scene& scene, double duration) {
  const auto stepper = make_stepper("tr-bdf2", scene.system(), scene.body.start,
                                    {.duration = duration, .step = 7.3e-4, .tolerance = 0});
  while (!stepper->done()) stepper->advance();
  double sum = 0;
  const auto v = host(stepper->state().v());
  for (std::size_t i = 0; i < v.size(); i += 3) sum += v[i];
  return sum / static_cast<double>(v.size() / 3);
}

TEST(TouchingBodies, ABlockOnASlopeSlidesAsTheorySays) {
  const double theta = 20 * std::numbers::pi / 180, duration = 0.43;
  for (const double mu : {0.3, 0.31}) {  // where it starts as it is carried; else it rocks, and rubs less
    const Scene scene = touching_scene("slope", {{"contact.friction", std::to_string(mu)}});
    const double theory = 9.81 * (std::sin(theta) - mu * std::cos(theta)) * duration;
    EXPECT_NEAR(speed_down(scene, duration), theory, 0.01 * theory + 1e-3) << mu;
  }
  EXPECT_LT(speed_down(touching_scene("slope", {{"contact.friction", "0.4"}}), duration), 2e-3);
}

TEST(TouchingBodies, OfTheScenesAreWholeAndApart) {
  for (const char* name : {"drape", "pile", "knot", "toothbrush", "paperweight"}) {
    const Scene scene = touching_scene(name);
    EXPECT_TRUE(scene.body.touches) << name;
    EXPECT_FALSE(scene.in_pieces()) << name;
    const std::optional<Touch> touch = scene.system().touch(scene.body.start);
    ASSERT_TRUE(touch) << name;
    EXPECT_EQ(touch->deepest, 0) << name;
    EXPECT_TRUE(scene.all_warnings().empty()) << name;
  }
}

/// Of a box around everything only the walls behind are seen: their fronts are inside, which is a negative
/// volume.
TEST(TouchingBodies, AreNotHiddenByTheBoxAroundThem) {
  const Scene pile = touching_scene("pile");
  ASSERT_EQ(pile.body.obstacles.size(), 1u);
  const ObstacleSurface& box = pile.body.obstacles.front();
  double volume = 0;
  for (const Triangle& t : box.triangles) {
    const auto at = [&](int i) {
      return Eigen::Vector3d::Map(box.points[static_cast<std::size_t>(i)].data());
    };
    volume += at(t[0]).dot(at(t[1]).cross(at(t[2]))) / 6;
  }
  EXPECT_LT(volume, -1e-4);
  EXPECT_EQ(touching_scene("drape").body.obstacles.size(), 2u);
}

TEST(TouchingBodies, ThatOverlapAtTheStartAreRefusedAtTheirLine) {
  const std::vector<Override> close = {{"model.spacing", "0.011"}, {"contact.radius", "0.0065"}};
  try {
    touching_scene("pile", close);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("inside each other"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("push_apart = true"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace stiffly
