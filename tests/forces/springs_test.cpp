// Springs with two ends and with many.
#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/forces/weighted_springs.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

TEST(SpringsTest, CollapsedSpringsPullNowhere) {
  Particles p;
  p.position.assign(2, {0, 0, 0});
  p.velocity.assign(2, {0, 0, 0});
  p.mass.assign(2, 1.0);
  p.pinned.assign(2, false);
  ParticleSystem system(p);
  system.add(std::make_unique<Springs>(std::vector<Spring>{{0, 1, 100, 0.5}}, 2));
  system.finish();
  Vector f(6);
  const State state = system.initial_state();
  system.force(0, state.x(), state.v(), f);
  EXPECT_EQ(norm(f), 0);
  EXPECT_DOUBLE_EQ(system.potential_energy(0, state.x()), 0.5 * 100 * 0.25);
}

TEST(SpringsTest, BadSpringsAreNamed) {
  const auto message = [](Spring spring) -> std::string {
    try {
      Springs({{0, 1, 1, 1}, spring}, 3);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message({0, 3, 1, 1}).find("spring 1: end 3"), std::string::npos);
  EXPECT_NE(message({-1, 2, 1, 1}).find("spring 1: end -1"), std::string::npos);
  EXPECT_NE(message({1, 1, 1, 1}).find("both ends are particle 1"), std::string::npos);
  EXPECT_NE(message({0, 2, -1, 1}).find("stiffness"), std::string::npos);
  EXPECT_NE(message({0, 2, std::nan(""), 1}).find("stiffness"), std::string::npos);
  EXPECT_NE(message({0, 2, 1, 0}).find("coincide"), std::string::npos);
  EXPECT_NE(message({0, 2, 1, 1, -1}).find("damping"), std::string::npos);
}

TEST(WeightedSpringsTest, OneParticleAtEachEndIsAnOrdinarySpring) {
  Particles p;
  p.position = {{0, 0, 0}, {1, 2, 3}};
  p.velocity = {{1, 0, 0}, {0, -1, 2}};
  p.mass.assign(2, 1.0);
  p.pinned.assign(2, false);
  const SpringMaterial material{100, 0.5, 3, SpringLaw::cubic};
  std::array<Vector, 2> f = {Vector(6), Vector(6)};
  for (const bool weighted : {false, true}) {
    ParticleSystem system(p);
    if (weighted)
      system.add(std::make_unique<WeightedSprings>(
          std::vector<WeightedSpring>{{{{0}, {1}}, {{1}, {1}}, material}}, 2));
    else
      system.add(
          std::make_unique<Springs>(std::vector<Spring>{{0, 1, material.stiffness, material.rest_length,
                                                         material.damping, material.law}},
                                    2));
    system.finish();
    const State state = system.initial_state();
    system.force(0, state.x(), state.v(), f[weighted]);
  }
  axpy(-1, f[0], f[1]);
  EXPECT_LT(norm(f[1]), 1e-14 * norm(f[0]));
}

TEST(WeightedSpringsTest, BadEndsAreNamed) {
  const auto message = [](SpringEnd first) -> std::string {
    const SpringMaterial material{1, 1, 0, SpringLaw::linear};
    try {
      WeightedSprings({{{{0}, {1}}, {{1}, {1}}, material}, {std::move(first), {{2}, {1}}, material}}, 3);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message({{0, 3}, {0.5, 0.5}}).find("weighted spring 1: 3 is not a particle"), std::string::npos);
  EXPECT_NE(message({{0, 1}, {0.5}}).find("weighted spring 1: an end has 2 particles and 1 weights"),
            std::string::npos);
  EXPECT_NE(message({{0, 1}, {0.5, 0.6}}).find("sum up to 1.1"), std::string::npos);
  EXPECT_NE(message({{0, 1}, {1.5, -0.5}}).find("not be negative"), std::string::npos);
}

}  // namespace
}  // namespace stiffly
