// What every force between particles owes to mechanics, whatever its law.
#include <gtest/gtest.h>

#include "forces/cases.hpp"

namespace stiffly::test {
namespace {

class InternalForcesTest : public testing::TestWithParam<std::size_t> {
 protected:
  /// All particles free, at `points`, with velocities zero or `velocities`.
  struct Sample {
    double energy;
    Eigen::VectorXd force;
    double scale;  ///< of the force: what round-off is measured against
  };
  static Sample sample(const Points& rest, const Points& x, const Points& v, unsigned seed) {
    Particles p;
    for (std::size_t i = 0; i < x.size(); ++i) {
      p.position.push_back(to_array(x[i]));
      p.velocity.push_back(to_array(v[i]));
      p.mass.push_back(1);
      p.pinned.push_back(false);
    }
    ParticleSystem system(p);
    Random random(seed);
    system.add(cases()[GetParam()].make({rest, p.mass, p.size()}, random));
    system.finish();
    const State state = system.initial_state();
    Vector f(state.unknowns());
    system.force(0, state.x(), state.v(), f);
    Tangent tangent;
    system.tangent(0, state.x(), state.v(), tangent);
    return {system.potential_energy(0, state.x()), map(f), tangent.stiffness.to_dense().norm()};
  }
  static Eigen::Matrix3d random_rotation(Random& random) {
    std::normal_distribution<double> normal;
    return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
        .normalized()
        .toRotationMatrix();
  }
};

const Points no_velocity(particles, Eigen::Vector3d::Zero());

TEST_P(InternalForcesTest, TheRestShapeIsInEquilibriumWhereverItIs) {
  Random random(3);
  for (unsigned trial = 0; trial < 20; ++trial) {
    const Points rest = random_points(random);
    const Eigen::Matrix3d R = random_rotation(random);
    Points moved;
    for (const Eigen::Vector3d& x : rest) moved.push_back(R * x + Eigen::Vector3d(1, -2, 3));
    for (const Points& x : {rest, moved}) {
      const Sample s = sample(rest, x, no_velocity, trial);
      EXPECT_LT(std::abs(s.energy), 1e-13 * s.scale);
      EXPECT_LT(s.force.norm(), 1e-13 * s.scale);
    }
  }
}

TEST_P(InternalForcesTest, ForcesTurnWithTheBodyAndAddUpToNothing) {
  Random random(5);
  for (unsigned trial = 0; trial < 20; ++trial) {
    const Points rest = random_points(random), x = random_points(random), v = random_points(random);
    const Sample s = sample(rest, x, v, trial);
    const Eigen::Matrix3d R = random_rotation(random);
    Points turned, turned_v;
    Eigen::Vector3d sum = Eigen::Vector3d::Zero(), torque = sum;
    for (std::size_t i = 0; i < x.size(); ++i) {
      turned.push_back(R * x[i] + Eigen::Vector3d(1, -2, 3));
      turned_v.push_back(R * v[i]);
      const Eigen::Vector3d f = s.force.segment<3>(static_cast<Eigen::Index>(3 * i));
      sum += f;
      torque += x[i].cross(f);
    }
    EXPECT_LT(sum.norm(), 1e-13 * s.scale);
    EXPECT_LT(torque.norm(), 1e-13 * s.scale);
    const Sample r = sample(rest, turned, turned_v, trial);
    EXPECT_NEAR(r.energy, s.energy, 1e-12 * s.scale);
    for (Eigen::Index i = 0; i < particles; ++i)
      EXPECT_LT((r.force.segment<3>(3 * i) - R * s.force.segment<3>(3 * i)).norm(), 1e-12 * s.scale);
  }
}

INSTANTIATE_TEST_SUITE_P(Forces, InternalForcesTest, testing::ValuesIn(internal_cases()),
                         [](const auto& index) { return cases()[index.param].name; });

}  // namespace
}  // namespace stiffly::test
