// Scenes in which bodies touch each other, the floor and themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Core>
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
  for (const char* name : {"drape", "pile", "knot", "toothbrush"}) {
    const Scene scene = touching_scene(name);
    EXPECT_TRUE(scene.body.touches) << name;
    EXPECT_FALSE(scene.in_pieces()) << name;
    const std::optional<Touch> touch = scene.system().touch(scene.body.start);
    ASSERT_TRUE(touch) << name;
    EXPECT_EQ(touch->deepest, 0) << name;
    EXPECT_TRUE(scene.all_warnings().empty()) << name;
  }
}

TEST(TouchingBodies, AreNotHiddenByTheBoxAroundThem) {
  EXPECT_TRUE(touching_scene("pile").body.obstacles.empty());
  EXPECT_EQ(touching_scene("drape").body.obstacles.size(), 2u);
}

TEST(TouchingBodies, ThatOverlapAtTheStartAreRefusedAtTheirLine) {
  const std::vector<Override> close = {{"model.spacing", "0.011"}, {"contact.radius", "0.0065"}};
  try {
    touching_scene("pile", close);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("inside each other"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace stiffly
