// Rayleigh damping against its formula.
#include <gtest/gtest.h>

#include "forces/cases.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/rayleigh_damping.hpp"
#include "stiffly/forces/springs.hpp"

namespace stiffly::test {
namespace {

/// A chain of five particles on the x axis, the last prescribed.
struct Chain {
  std::unique_ptr<ParticleSystem> system;
  Eigen::MatrixXd stiffness;

  Chain(double alpha, double beta, const Eigen::Vector3d& velocity) {
    Particles p;
    std::vector<Spring> springs;
    std::vector<double> x;
    for (int i = 0; i < 5; ++i) {
      p.position.push_back({1.0 * i, 0, 0});
      x.insert(x.end(), {1.0 * i, 0, 0});
      p.velocity.push_back(to_array(velocity));
      p.mass.push_back(1 + i);
      p.pinned.push_back(i == 4);
      if (i > 0) springs.push_back({i - 1, i, 100.0 * i, 1, 0.0});
    }
    system = std::make_unique<ParticleSystem>(p);
    system->add(std::make_unique<Springs>(springs, 5));
    const std::vector<Force*> elastic = {system->forces()[0].get()};
    BlockMatrix K = stiffness_of_all_particles(elastic, x);
    stiffness = K.to_dense();
    system->add(std::make_unique<RayleighDamping>(alpha, beta, system->mass(), std::move(K)));
    system->finish();
  }
};

TEST(RayleighDampingTest, IsMassAndStiffnessWithTheirFactors) {
  const Chain chain(0.3, 0.02, {0, 0, 0});
  const State state = chain.system->initial_state();
  Tangent tangent;
  chain.system->tangent(0, state.x(), state.v(), tangent);
  const Eigen::MatrixXd M = chain.system->mass().to_dense(), K = chain.stiffness.topLeftCorner(12, 12);
  const Eigen::MatrixXd expected = 0.3 * M + 0.02 * K;
  EXPECT_LT((tangent.damping.to_dense() - expected).norm(), 1e-14 * expected.norm());
  EXPECT_LT((tangent.stiffness.to_dense() - K).norm(), 1e-14 * K.norm());
}

TEST(RayleighDampingTest, ResistsTheMotionRelativeToPrescribedParticles) {
  const Chain chain(0, 0.02, {1, 2, 3});
  const State state = chain.system->initial_state();
  Vector f(12);
  chain.system->force(0, state.x(), state.v(), f);
  Eigen::VectorXd v(15);
  v << map(Vector(state.v())), 0, 0, 0;  // the prescribed one stands still
  EXPECT_LT((map(f) + 0.02 * (chain.stiffness * v).head(12)).norm(), 1e-14 * map(f).norm());
}

TEST(RayleighDampingTest, BadFactorsAreRefused) {
  EXPECT_THROW(Chain(-1, 0, {0, 0, 0}), InputError);
  EXPECT_THROW(Chain(0, INFINITY, {0, 0, 0}), InputError);
}

}  // namespace
}  // namespace stiffly::test
