// Forces with strains as unknowns: averages that do the work of the energy, and what is frozen for an
// iteration.
#include "stiffly/system/mixed_force.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "forces/cases.hpp"

namespace stiffly::test {
namespace {

Eigen::Vector3d random_vector(Random& random) {
  std::normal_distribution<double> normal;
  return Eigen::Vector3d::NullaryExpr([&](Eigen::Index) { return normal(random); });
}

/// A random rotation.
Eigen::Matrix3d turn(Random& random) {
  const Eigen::Vector3d axis = random_vector(random);
  return Eigen::AngleAxisd(axis.norm(), axis.normalized()).toRotationMatrix();
}

class MixedTest : public testing::TestWithParam<std::size_t> {
 protected:
  /// The system of a case with two particles pinned, at rest.
  void make(Random& random) {
    rest = random_points(random);
    Particles p;
    for (int i = 0; i < particles; ++i) {
      p.position.push_back(to_array(rest[static_cast<std::size_t>(i)]));
      p.velocity.push_back({0, 0, 0});
      p.mass.push_back(1.0 + 0.37 * i);
      p.pinned.push_back(i >= pinned_from);
    }
    system = std::make_unique<ParticleSystem>(p);
    system->add(cases()[GetParam()].make({rest, p.mass, system->free_particles()}, random));
    system->finish();
    mixed = system->mixed_force();
  }

  /// The free particles of the rest shape, turned, moved and disturbed.
  Vector deformed(const Eigen::Matrix3d& rotation, double disturbance, Random& random) const {
    std::vector<double> x;
    for (std::size_t i = 0; i < system->free_particles(); ++i) {
      const Eigen::Vector3d point =
          rotation * (rest[i] + disturbance * random_vector(random)) + Eigen::Vector3d(0.3, -0.2, 0.1);
      x.insert(x.end(), point.begin(), point.end());
    }
    return Vector(x);
  }
  Vector random_velocity(Random& random) const {
    std::vector<double> v;
    for (std::size_t i = 0; i < system->free_particles(); ++i) {
      const Eigen::Vector3d velocity = random_vector(random);
      v.insert(v.end(), velocity.begin(), velocity.end());
    }
    return Vector(v);
  }
  std::vector<double> strain_at(double t, const Vector& x, const Vector& v) const {
    std::vector<double> out(mixed->strains());
    mixed->measure(t, x, v, out);
    return out;
  }
  Eigen::VectorXd force(const ForcePath& path, const std::vector<double>& strain) {
    Vector f(system->unknowns());
    gap.resize(mixed->strains());
    begin(path);
    mixed->force(path, strain, gap, f);
    return map(f);
  }
  /// What touches has unknowns of its own, which begin where nothing gives way: at what is measured.
  void begin(const ForcePath& path) { mixed->begin(path, 0, 0); }

  int pinned_from = particles - 2;
  Points rest;
  std::unique_ptr<ParticleSystem> system;
  std::unique_ptr<MixedForce> mixed;
  std::vector<double> gap;
};

// At one state, with the strains that belong to it, it is the force as always.
TEST_P(MixedTest, AtAStageItIsTheForce) {
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    make(random);
    const Vector x = deformed(turn(random), 0.1, random), v = random_velocity(random);
    const ForcePath path{.time = 0.37, .x = x, .v = v};
    const auto strain = strain_at(path.time, x, v);
    Vector expected(x.size());
    system->force(path.time, x, v, expected);
    EXPECT_LT((force(path, strain) - map(expected)).norm(), 1e-11 * (1 + norm(expected)));
    for (const double kappa : gap) EXPECT_LT(std::abs(kappa), 1e-12);
  }
}

// The work of the mean force over a step is the energy lost, to round-off, however far apart the two states
// are; with θ > ½ it takes more.
TEST_P(MixedTest, WorkOverAStepIsTheEnergy) {
  Random random(5);
  if (!(make(random), system->conservative() && system->autonomous())) GTEST_SKIP() << "has no energy";
  for (int trial = 0; trial < 40; ++trial) {
    make(random);
    const Vector a = deformed(turn(random), 0.1, random), b = deformed(turn(random), 0.1, random);
    Vector v = b;
    axpy(-1.0, a, v);
    scale(1 / 0.07, v);
    const auto before = strain_at(0, a, v), now = strain_at(0.07, b, v);
    ForcePath path{.time = 0.07, .x = b, .v = v, .start_time = 0, .start_x = a, .start_strain = before};
    const double lost = system->potential_energy(0, a) - system->potential_energy(0.07, b);
    const Eigen::VectorXd f = force(path, now), moved = map(b) - map(a);
    const double round_off = 1e-12 * (system->potential_energy(0, a) + f.norm() * moved.norm() + 1);
    EXPECT_NEAR(f.dot(moved), lost, round_off) << "trial " << trial;
    path.theta = 0.6;
    EXPECT_LT(force(path, now).dot(moved), lost + round_off) << "trial " << trial;
  }
}

// Damping takes energy: with a dashpot, what the mean force does is less than what the energy gives.
TEST_P(MixedTest, DashpotsTakeEnergyOverAStep) {
  if (cases()[GetParam()].name.find("dashpots") == std::string::npos) GTEST_SKIP() << "not damped";
  Random random(6);
  for (int trial = 0; trial < 40; ++trial) {
    make(random);
    const Vector a = deformed(turn(random), 0.1, random), b = deformed(turn(random), 0.1, random);
    Vector v = b;
    axpy(-1.0, a, v);
    scale(1 / 0.07, v);
    const std::vector<double> start_strain = strain_at(0, a, v);
    const ForcePath path{
        .time = 0.07, .x = b, .v = v, .start_time = 0, .start_x = a, .start_strain = start_strain};
    // The rate that belongs to the step is seen by the first force, in the gap.
    auto now = strain_at(0.07, b, v);
    force(path, now);
    for (std::size_t i = 0; i < now.size(); ++i) now[i] += gap[i];
    const double lost = system->potential_energy(0, a) - system->potential_energy(0.07, b);
    EXPECT_LT(force(path, now).dot(map(b) - map(a)), lost);
  }
}

// Torque and resultant of the mean force about the middle of the step.
TEST_P(MixedTest, MeanForcesHaveNoTorque) {
  if (!cases()[GetParam()].internal) GTEST_SKIP() << "not an inner force";
  Random random(7);
  pinned_from = particles;
  for (int trial = 0; trial < 20; ++trial) {
    make(random);
    const Vector a = deformed(turn(random), 0.1, random), b = deformed(turn(random), 0.1, random);
    Vector v = b;
    axpy(-1.0, a, v);
    scale(1 / 0.07, v);
    const auto before = strain_at(0, a, v), now = strain_at(0.07, b, v);
    for (const double theta : {0.5, 0.6}) {
      const ForcePath path{.time = 0.07,
                           .x = b,
                           .v = v,
                           .start_time = 0,
                           .start_x = a,
                           .start_strain = before,
                           .theta = theta};
      const Eigen::VectorXd f = force(path, now);
      Eigen::Vector3d sum = Eigen::Vector3d::Zero(), torque = sum;
      for (Eigen::Index i = 0; i < particles; ++i) {
        const Eigen::Vector3d middle = 0.5 * (map(a).segment<3>(3 * i) + map(b).segment<3>(3 * i));
        sum += f.segment<3>(3 * i);
        torque += middle.cross(f.segment<3>(3 * i));
      }
      EXPECT_LT(sum.norm(), 1e-12 * (1 + f.norm()));
      EXPECT_LT(torque.norm(), 1e-12 * (1 + f.norm()));
    }
  }
}

// Frozen at the rest shape, turned and still: without stress B = ∂ε/∂x, BᵀD = −∂f/∂ε and K = −∂f/∂x exactly.
// (Under stress the mean length, which is made of strains, changes f a little, too.)
TEST_P(MixedTest, FreezesTheDerivatives) {
  Random random(9);
  std::normal_distribution<double> normal;
  pinned_from = particles;
  for (int trial = 0; trial < 10; ++trial) {
    make(random);
    const Vector x = deformed(turn(random), 0, random), v(x.size());
    const ForcePath path{.time = 0.37, .x = x, .v = v};
    auto strain = strain_at(path.time, x, v);
    Tangent frozen, tangent;
    begin(path);
    mixed->freeze(path, strain, frozen);
    system->tangent(path.time, x, v, tangent);
    const Eigen::MatrixXd K = tangent.stiffness.to_dense();
    const double scale_of_K = K.norm();
    if (system->conservative() && !mixed->touching()) {  // contact leaves out that surfaces are curved
      EXPECT_LT((frozen.stiffness.to_dense() - K).norm(), 1e-8 * (1 + scale_of_K));
    }
    if (!tangent.damping.empty()) {
      EXPECT_LT((frozen.damping.to_dense() - tangent.damping.to_dense()).norm(),
                1e-10 * (1 + tangent.damping.to_dense().norm()));
    }
    if (mixed->strains() == 0) continue;

    const double delta = 1e-6;
    Vector dx(x.size()), dv(x.size());
    for (double& d : host(dx)) d = normal(random);
    const auto moved = [&](double s) {
      Vector there = x;
      axpy(s * delta, dx, there);
      return strain_at(path.time, there, v);
    };
    const auto before = moved(-1), after = moved(1);
    std::vector<double> along(strain.size(), 0.0), none(strain.size(), 0.0);
    mixed->follow(dx, dv, none, along);
    double wrong = 0, all = 0;
    for (std::size_t i = 0; i < along.size(); ++i) {
      wrong += std::pow(along[i] - (after[i] - before[i]) / (2 * delta), 2);
      all += along[i] * along[i];
    }
    EXPECT_LT(std::sqrt(wrong), 1e-6 * std::sqrt(all));

    // A change of strain changes f(x, ε) by what κ is corrected for: the sum stays.
    std::vector<double> changed = strain;
    for (double& s : changed) s += delta * normal(random);
    EXPECT_LT((force(path, changed) - force(path, strain)).norm(), 1e-3 * delta * (1 + scale_of_K));
  }
}

INSTANTIATE_TEST_SUITE_P(Forces, MixedTest, testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& index) { return cases()[index.param].name; });

}  // namespace
}  // namespace stiffly::test
