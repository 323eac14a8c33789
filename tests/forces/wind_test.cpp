// Wind on a plate, and the gusts.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "forces/cases.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/wind.hpp"

namespace stiffly::test {
namespace {

/// Total force on a square of 4 m² in the xy plane that moves with `velocity`.
Eigen::Vector3d force_on_plate(const std::vector<Triangle>& triangles, const Wind& wind, WindLaw law,
                               const Eigen::Vector3d& velocity) {
  Particles p;
  p.position = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
  p.velocity.assign(4, to_array(velocity));
  p.mass.assign(4, 1);
  p.pinned.assign(4, false);
  ParticleSystem system(p);
  system.add(std::make_unique<WindForce>(triangles, 4, wind, law, 0.6));
  system.finish();
  const State state = system.initial_state();
  Vector f(12);
  system.force(0, state.x(), state.v(), f);
  return Eigen::Map<const Eigen::Matrix<double, 3, 4>>(host(f).data()).rowwise().sum();
}

const std::vector<Triangle> upward = {{0, 1, 2}, {0, 2, 3}}, downward = {{0, 2, 1}, {0, 2, 3}};

TEST(WindTest, PressesOnAPlateByTheNormalPartOfTheStream) {
  const Wind wind{.mean = {5, 0, 3}};
  for (const auto& sides : {upward, downward}) {
    const auto force = [&](WindLaw law, const Eigen::Vector3d& v) {
      return force_on_plate(sides, wind, law, v);
    };
    EXPECT_LT((force(WindLaw::quadratic, {0, 0, 0}) - Eigen::Vector3d(0, 0, 0.6 * 4 * 9)).norm(), 1e-14);
    EXPECT_LT((force(WindLaw::quadratic, {0, 0, 5}) - Eigen::Vector3d(0, 0, -0.6 * 4 * 4)).norm(), 1e-14);
    EXPECT_LT((force(WindLaw::linear, {0, 0, 5}) - Eigen::Vector3d(0, 0, -0.6 * 4 * 2)).norm(), 1e-14);
    EXPECT_EQ(force(WindLaw::quadratic, {5, 0, 3}).norm(), 0);
  }
}

TEST(WindTest, GustsHaveTheStrengthAskedForAndNoDivergence) {
  const Wind wind{{3, 4, 0}, 0.2, 2, 1};
  double square = 0;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  constexpr int samples = 20000;
  for (int i = 0; i < samples; ++i) {
    const Eigen::Vector3d x(0.11 * i, 3, -0.07 * i), air = wind.velocity(0.37 * i, x);
    EXPECT_NEAR(wind.gradient(0.37 * i, x).trace(), 0, 1e-13);
    square += (air - wind.mean).squaredNorm() / samples;
    mean += air / samples;
  }
  EXPECT_NEAR(std::sqrt(square), 0.2 * 5, 0.02);
  EXPECT_LT((mean - wind.mean).norm(), 0.02);
}

TEST(WindTest, BadWindsAreNamed) {
  const auto message = [](const std::vector<Triangle>& triangles, const Wind& wind,
                          double coefficient) -> std::string {
    try {
      WindForce(triangles, 3, wind, WindLaw::linear, coefficient);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message({{0, 1, 3}}, {}, 1).find("triangle in the wind 0: 3 is not a particle"),
            std::string::npos);
  EXPECT_NE(message({{0, 1, 2}}, {}, -1).find("wind: the drag coefficient"), std::string::npos);
  EXPECT_NE(message({{0, 1, 2}}, {.gusts = NAN}, 1).find("wind: gusts"), std::string::npos);
  EXPECT_NE(message({{0, 1, 2}}, {.gust_length = 0}, 1).find("wind: the length"), std::string::npos);
  EXPECT_NE(message({{0, 1, 2}}, {.gust_period = -1}, 1).find("wind: the period"), std::string::npos);
  EXPECT_NE(message({{0, 1, 2}}, {.mean = {0, INFINITY, 0}}, 1).find("wind: the mean"), std::string::npos);
}

}  // namespace
}  // namespace stiffly::test
