// Girders against beams.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "forces/cases.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/girders.hpp"

namespace stiffly::test {
namespace {

/// A straight run of girders, bent to an arc in which neighbours make the angle `turn`.
TEST(GirdersTest, AStraightRunBendsLikeABeam) {
  constexpr int joints = 21;
  constexpr double length = 0.3, bending = 40, axial = 1e4;
  for (const double turn : {1e-3, 1e-2, 1e-1}) {
    std::vector<Point> rest;
    std::vector<Girder> girders;
    Particles p;
    Eigen::Vector3d x = Eigen::Vector3d::Zero();
    for (int i = 0; i < joints; ++i) {
      rest.push_back({length * i, 0, 0});
      p.position.push_back(to_array(x));
      p.velocity.push_back({0, 0, 0});
      p.mass.push_back(1);
      p.pinned.push_back(false);
      x += length * Eigen::Vector3d(std::cos(turn * i), 0, std::sin(turn * i));
      if (i > 0) girders.push_back({i - 1, i, axial, bending});
    }
    ParticleSystem system(p);
    system.add(std::make_unique<Girders>(girders, rest));
    system.finish();
    // ½ EI κ² per length at the inner joints, with κ = turn/l and EI = b l³/4
    const double EI = bending * std::pow(length, 3) / 4;
    const double expected = 0.5 * EI * std::pow(turn / length, 2) * length * (joints - 2);
    EXPECT_NEAR(system.potential_energy(0, system.initial_state().x()), expected, turn * turn * expected);
  }
}

TEST(GirdersTest, BadOnesAreNamed) {
  const std::vector<Point> rest = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  const auto message = [&](Girder girder) -> std::string {
    try {
      Girders(std::vector<Girder>{{0, 1, 1, 1}, girder}, rest);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({0, 2, 1, 0}), "accepted");
  EXPECT_NE(message({0, 3, 1, 0}).find("girder 1: end 3 is not a particle"), std::string::npos);
  EXPECT_NE(message({1, 2, 1, 0}).find("girder 1: particles 1 and 2 coincide"), std::string::npos);
  EXPECT_NE(message({0, 2, 1, 2}).find("bending <= axial"), std::string::npos);
  EXPECT_NE(message({1, 0, 1, 0}).find("particle 1 comes twice"), std::string::npos);
}

}  // namespace
}  // namespace stiffly::test
