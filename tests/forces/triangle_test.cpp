// The triangle test of every force: force = −∇energy and tangent = −∇force, at random states.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "stiffly/error.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

struct Case {
  std::string name;
  std::function<std::unique_ptr<Force>(const ParticleSystem&, std::mt19937&)> make;
};

constexpr int particles = 9;

std::unique_ptr<Force> random_springs(const ParticleSystem& system, std::mt19937& random, SpringLaw law, double damping) {
  std::uniform_real_distribution<double> uniform(0.5, 2.0);
  std::vector<Spring> springs;
  for (int i = 0; i < particles; ++i)
    for (int j = 0; j < i; ++j)
      if (uniform(random) < 1.2)
        springs.push_back({system.rank()[static_cast<std::size_t>(i)], system.rank()[static_cast<std::size_t>(j)], 100 * uniform(random), uniform(random), damping * uniform(random), law});
  return std::make_unique<Springs>(springs, particles);
}

const std::vector<Case> cases = {
    {"linear_springs", [](const auto& s, auto& r) { return random_springs(s, r, SpringLaw::linear, 0); }},
    {"cubic_springs", [](const auto& s, auto& r) { return random_springs(s, r, SpringLaw::cubic, 0); }},
    {"dashpots", [](const auto& s, auto& r) { return random_springs(s, r, SpringLaw::linear, 3); }},
    {"gravity",
     [](const auto& s, auto&) {
       return std::make_unique<Gravity>(Eigen::Vector3d(0.3, -1, -9.81), std::vector<double>(s.masses().begin(), s.masses().end()));
     }},
};

class TriangleTest : public testing::TestWithParam<std::size_t> {
 protected:
  /// Random particles, two of them pinned; `squeeze` brings all close together (nearly degenerate springs).
  static Particles random_particles(std::mt19937& random, double squeeze) {
    std::normal_distribution<double> normal;
    Particles p;
    for (int i = 0; i < particles; ++i) {
      p.position.push_back({squeeze * normal(random), squeeze * normal(random), squeeze * normal(random)});
      p.velocity.push_back({normal(random), normal(random), normal(random)});
      p.mass.push_back(1.0 + i);
      p.pinned.push_back(i == 2 || i == 5);
    }
    return p;
  }
};

TEST_P(TriangleTest, HoldsAtRandomStates) {
  std::mt19937 random(static_cast<unsigned>(17 + GetParam()));
  for (int trial = 0; trial < 100; ++trial) {
    const double squeeze = trial % 4 == 3 ? 1e-3 : 1.0;
    ParticleSystem system(random_particles(random, squeeze));
    system.add(cases[GetParam()].make(system, random));
    system.finish();
    State state = system.initial_state();
    const std::size_t n = state.unknowns();
    const double delta = 1e-5 * squeeze;
    Vector f(n), plus(n), minus(n);
    system.force(0, state.x(), state.v(), f);
    Tangent tangent;
    system.tangent(0, state.x(), state.v(), tangent);
    Eigen::MatrixXd K = tangent.stiffness.to_dense();
    EXPECT_LT((K - K.transpose()).norm(), 1e-12 * (1 + K.norm()));
    if (!tangent.circulatory.empty()) {
      const Eigen::MatrixXd skew = tangent.circulatory.to_dense();
      EXPECT_LT((skew + skew.transpose()).norm(), 1e-12 * (1 + skew.norm()));
      K += skew;
    }
    Eigen::VectorXd gradient(static_cast<Eigen::Index>(n));
    Eigen::MatrixXd dfdx(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n)), dfdv = dfdx;
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = [&](VectorView part, double shift, VectorView out) {
        const double before = host(part)[i];
        host(part)[i] = before + shift;
        system.force(0, state.x(), state.v(), out);
        const double energy = system.potential_energy(0, state.x());
        host(part)[i] = before;
        return energy;
      };
      const double up = at(state.x(), delta, plus), down = at(state.x(), -delta, minus);
      gradient(static_cast<Eigen::Index>(i)) = (up - down) / (2 * delta);
      for (std::size_t j = 0; j < n; ++j) dfdx(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = (host(plus)[j] - host(minus)[j]) / (2 * delta);
      at(state.v(), 1e-4, plus), at(state.v(), -1e-4, minus);
      for (std::size_t j = 0; j < n; ++j) dfdv(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = (host(plus)[j] - host(minus)[j]) / 2e-4;
    }
    if (system.conservative()) {
      const Eigen::Map<const Eigen::VectorXd> force(host(f).data(), static_cast<Eigen::Index>(n));
      EXPECT_LT((force + gradient).norm(), 2e-6 * (1 + force.norm())) << "force, trial " << trial;
    }
    EXPECT_LT((K + dfdx).norm(), 1e-5 * (1 + K.norm())) << "stiffness, trial " << trial;
    const Eigen::MatrixXd C = tangent.damping.empty() ? Eigen::MatrixXd::Zero(K.rows(), K.cols()) : tangent.damping.to_dense();
    EXPECT_LT((C + dfdv).norm(), 1e-7 * (1 + C.norm())) << "damping, trial " << trial;
  }
}

INSTANTIATE_TEST_SUITE_P(Forces, TriangleTest, testing::Range(std::size_t{0}, cases.size()),
                         [](const auto& index) { return cases[index.param].name; });

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

}  // namespace
}  // namespace stiffly
