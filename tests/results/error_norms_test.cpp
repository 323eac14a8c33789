#include "stiffly/results/error_norms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stiffly/error.hpp"
#include "stiffly/scene/scene.hpp"
#include "temporary_folder.hpp"

namespace stiffly::test {

namespace {

/// Two particles 2 m apart (one of them pinned), around a place that may be far from the origin.
Scene pair_at(double place) {
  TemporaryFolder folder;
  const std::string at = std::to_string(place);
  return load_scene(folder.write(
      "pair.toml",
      "[simulation]\nduration = 1\nstep = 0.1\nintegrator = \"rk4\"\n[[particle]]\nposition = [" + at +
          ", 0, 0]\nmass = 1\npinned = true\n[[particle]]\nposition = [" + std::to_string(place + 2) +
          ", 0, 0]\nmass = 2\n[[spring]]\nends = [0, 1]\nstiffness = 10\n"));
}

State moved(State state, double dx, double dv) {
  std::vector<double> y = to_host(state.y);
  y[0] += dx;
  y[y.size() / 2 + 1] += dv;
  state.y = Vector(std::span<const double>(y));
  return state;
}

TEST(ErrorNorms, PositionsAreRelativeToTheBodysSizeWhereverItIs) {
  for (const double place : {0.0, 1000.0}) {
    const Scene scene = pair_at(place);
    const State& start = scene.body.start;
    const ErrorMeasure measure(scene.body, Norm::position, {start, moved(start, 0.1, 0)});
    // At the second moment the two are 2.1 apart: ‖x − c‖ = 2.1/√2.
    const std::vector<State> states = {moved(start, 0.03, 0), moved(start, 0.08, 0)};
    EXPECT_NEAR(measure.error(states), 0.03 / (2.1 / std::sqrt(2.0)), 1e-12) << place;
    EXPECT_NEAR(measure.amplitude(), 0.1 / (2.1 / std::sqrt(2.0)), 1e-12) << place;
    EXPECT_NEAR(measure.still(), measure.amplitude(), 1e-12);
  }
}

TEST(ErrorNorms, OthersAreRelativeToWhatMoves) {
  const Scene scene = pair_at(5);
  const State& start = scene.body.start;
  const std::vector<State> reference = {moved(start, 0.1, 3)}, states = {moved(start, 0.12, 2)};
  EXPECT_NEAR(ErrorMeasure(scene.body, Norm::displacement, reference).error(states), 0.2, 1e-12);
  EXPECT_NEAR(ErrorMeasure(scene.body, Norm::velocity, reference).error(states), 1.0 / 3, 1e-12);
  // ½·10·0.1² + ½·2·9 = 9.05 J against ½·10·0.12² + ½·2·4 = 4.072 J, and 9 J in motion
  EXPECT_NEAR(ErrorMeasure(scene.body, Norm::energy, reference).error(states), 4.978 / 9, 1e-12);
  EXPECT_DOUBLE_EQ(ErrorMeasure(scene.body, Norm::displacement, reference).still(), 1);
}

TEST(ErrorNorms, AreaOfAFlag) {
  const Scene scene = load_scene(find_scene("flag"));
  State wider = scene.body.start;
  const ErrorMeasure measure(scene.body, Norm::area, {scene.body.start});
  EXPECT_DOUBLE_EQ(measure.error(std::vector{wider}), 0);
  // A flat sheet stretched by 2 % along the pole has 2 % more area.
  std::vector<double> y = to_host(wider.y);
  for (std::size_t i = 2; i < y.size() / 2; i += 3) y[i] *= 1.02;
  wider.y = Vector(std::span<const double>(y));
  const double error = measure.error(std::vector{wider});
  EXPECT_GT(error, 0.017);
  EXPECT_LT(error, 0.021);
  EXPECT_THROW(ErrorMeasure(load_scene(find_scene("fput"), std::vector<Override>{{"model.omega", "10"}}).body,
                            Norm::area, {}),
               InputError);
}

TEST(ErrorNorms, WhatIsNotFiniteIsInfinitelyWrong) {
  const Scene scene = pair_at(0);
  const ErrorMeasure measure(scene.body, Norm::position, {scene.body.start});
  EXPECT_TRUE(std::isinf(measure.error(std::vector{moved(scene.body.start, std::nan(""), 0)})));
  EXPECT_EQ(measure.error({}), 0);
}

TEST(ErrorNorms, Names) {
  for (const NormInfo& info : norms()) EXPECT_EQ(name_of(find_norm(info.name)), info.name);
  try {
    find_norm("positon");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'position'"), std::string::npos);
  }
}

}  // namespace
}  // namespace stiffly::test
