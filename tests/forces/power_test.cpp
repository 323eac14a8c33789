// What forces without a potential do to the energy, against the forces themselves: −Σ (f + ∇energy)·v.
#include <gtest/gtest.h>

#include <cmath>

#include "forces/cases.hpp"

namespace stiffly::test {
namespace {

class PowerTest : public testing::TestWithParam<std::size_t> {
 protected:
  /// One force on particles of which so many are free, all with velocities.
  struct Sample {
    std::unique_ptr<Force> force;
    std::size_t free;
    double time = 0.3;
    std::vector<double> x, v;

    Configuration at() const { return {time, free, x, v}; }
    /// −Σ (f + ∂energy/∂x)·v over the free particles
    double taken() const {
      std::vector<double> f(3 * free, 0.0);
      force->add_force(at(), f);
      const auto energy = [&](double s) {
        std::vector<double> moved = x;
        for (std::size_t i = 0; i < 3 * free; ++i) moved[i] += s * v[i];
        return force->energy({time, free, moved, v});
      };
      const double delta = 1e-4;
      double sum =
          -(8 * (energy(delta) - energy(-delta)) - (energy(2 * delta) - energy(-2 * delta))) / (12 * delta);
      for (std::size_t i = 0; i < f.size(); ++i) sum -= f[i] * v[i];
      return sum;
    }
  };

  Sample sample(std::size_t free, unsigned seed) const {
    Random random(seed);
    std::normal_distribution<double> normal;
    Particles p;
    const Points rest = random_points(random);
    for (int i = 0; i < particles; ++i) {
      p.position.push_back(to_array(rest[static_cast<std::size_t>(i)]));
      p.velocity.push_back({0, 0, 0});
      p.mass.push_back(1.0 + i);
      p.pinned.push_back(static_cast<std::size_t>(i) >= free);
    }
    Sample out{cases()[GetParam()].make({rest, p.mass, free}, random), free, 0.3, {}, {}};
    std::vector<std::pair<int, int>> pairs;
    out.force->add_pairs(free, pairs);
    out.force->attach(free, *BlockPattern::symmetric(free, 3, std::move(pairs)));
    for (const Eigen::Vector3d& point : rest)
      for (int d = 0; d < 3; ++d) {
        out.x.push_back(point[d] + 0.1 * normal(random));
        out.v.push_back(normal(random));
      }
    return out;
  }
};

TEST_P(PowerTest, IsWhatTheForcesDo) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Sample s = sample(particles - 2, seed);
    const ForcePower power = s.force->power(s.at());
    const double scale =
        std::abs(power.dissipated) + std::abs(power.supports) + std::abs(s.force->energy(s.at()));
    EXPECT_NEAR(power.dissipated - power.supports, s.taken(), 1e-6 * scale + 1e-9)
        << cases()[GetParam()].name;
    EXPECT_EQ(power.dissipated != 0, s.force->has_power()) << cases()[GetParam()].name;
  }
}

TEST_P(PowerTest, WithNothingPrescribedNobodyElsePays) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Sample s = sample(particles, seed);
    EXPECT_EQ(s.force->power(s.at()).supports, 0);
    EXPECT_NEAR(s.force->power(s.at()).dissipated, s.taken(), 1e-6 * std::abs(s.taken()) + 1e-4);
  }
}

/// Step control takes any gain of energy for an error of the method where nothing drives: a steady wind has to
/// say that it does.
TEST_P(PowerTest, WhoeverBringsEnergyInSaysSo) {
  bool brings = false;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Sample s = sample(particles, seed);
    for (double& v : s.v) v *= 0.1;
    brings |= s.force->power(s.at()).dissipated < 0;
  }
  const Sample s = sample(particles, 0);
  EXPECT_EQ(brings, s.force->drives()) << cases()[GetParam()].name;
}

TEST_P(PowerTest, WhatTimeDoesToTheEnergyIsItsDerivative) {
  constexpr double delta = 1e-5;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Sample s = sample(particles, seed);
    const Configuration now = s.at();
    const std::optional<double> known = s.force->energy_rate(now);
    if (!known) continue;
    Configuration before = now, after = now;
    before.time -= delta, after.time += delta;
    const double by_difference = (s.force->energy(after) - s.force->energy(before)) / (2 * delta);
    EXPECT_NEAR(*known, by_difference, 1e-6 * (std::abs(*known) + s.force->energy(now))) << seed;
    EXPECT_TRUE(s.force->depends_on_time() || *known == 0);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryForce, PowerTest, testing::Range(std::size_t{0}, cases().size()));

}  // namespace
}  // namespace stiffly::test
