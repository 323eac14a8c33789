// The linearised oscillators against dense matrices.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "random_vector.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/linalg/dense.hpp"
#include "stiffly/system/linear_oscillator.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly {
namespace {

struct Dense {
  Eigen::MatrixXd M, C, K;
};

Dense random_oscillator(int n, bool damped, bool diagonal_mass, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto spd = [&](double shift) {
    const Eigen::MatrixXd R = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
    return Eigen::MatrixXd(R * R.transpose() / n + shift * Eigen::MatrixXd::Identity(n, n));
  };
  Dense out{spd(1.0), damped ? spd(0.1) : Eigen::MatrixXd::Zero(n, n), 100 * spd(0.2)};
  if (diagonal_mass) out.M = Eigen::MatrixXd(out.M.diagonal().asDiagonal());
  return out;
}

Eigen::Map<const Eigen::VectorXd> map(const Vector& x) {
  return {host(x).data(), static_cast<Eigen::Index>(x.size())};
}

class JacobianTest : public testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(JacobianTest, ProductsMetricAndShiftedSolves) {
  constexpr int n = 25;
  const auto [damped, diagonal_mass] = GetParam();
  const Dense d = random_oscillator(n, damped, diagonal_mass, 11);
  const LinearOscillator system(d.M, d.K, d.C);
  const State state(0.0, random_vector(2 * n, 1));
  Tangent tangent;
  system.tangent(0, state.x(), state.v(), tangent);
  const double shift = 3.0;
  const OscillatorJacobian jacobian(system.mass(), tangent, shift, system.counters());
  EXPECT_EQ(jacobian.skew(), !damped);

  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(2 * n, 2 * n), G = J;
  J.topRightCorner(n, n).setIdentity();
  J.bottomLeftCorner(n, n) = -d.M.llt().solve(d.K);
  J.bottomRightCorner(n, n) = -d.M.llt().solve(d.C);
  G.topLeftCorner(n, n) = d.K + shift * shift * d.M;
  G.bottomRightCorner(n, n) = d.M;
  EXPECT_LT((to_dense(jacobian) - J).norm(), 1e-12 * J.norm());
  EXPECT_LT((metric_to_dense(jacobian) - G).norm(), 1e-12 * G.norm());

  const Counters before = system.counters();
  Vector Jy(2 * n), Gy(2 * n), alone(2 * n);
  jacobian.apply_both(state.y, Jy, Gy);
  EXPECT_EQ((system.counters() - before).product, 1) << "both products share the stiffness";
  jacobian.apply(state.y, alone);
  EXPECT_EQ(map(Jy), map(alone));
  EXPECT_LT((map(Gy) - G * map(state.y)).norm(), 1e-12 * map(Gy).norm());

  const double radius = J.eigenvalues().cwiseAbs().maxCoeff();
  EXPECT_GE(*jacobian.spectral_bound(), radius * (1 - 1e-9));
  EXPECT_LE(*jacobian.spectral_bound(), radius * 1.3);

  std::unique_ptr<ShiftedInverse> inverse;
  for (const double sigma : {0.01, 0.01, 0.3}) {
    inverse = jacobian.shifted_inverse(sigma, std::move(inverse));
    Vector x(2 * n);
    inverse->solve(state.y, x);
    const Eigen::VectorXd back = map(x) - sigma * (J * map(x));
    EXPECT_LT((back - map(state.y)).norm(), 1e-11 * map(state.y).norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, JacobianTest, testing::Combine(testing::Bool(), testing::Bool()));

// In the energy metric without shift undamped motion is exactly skew.
TEST(JacobianTest, EnergyMetricMakesItSkew) {
  const Dense d = random_oscillator(12, false, false, 5);
  const LinearOscillator system(d.M, d.K, d.C);
  const State state(0.0, random_vector(24, 1));
  Tangent tangent;
  system.tangent(0, state.x(), state.v(), tangent);
  const OscillatorJacobian jacobian(system.mass(), tangent, 0.0, system.counters());
  const Eigen::MatrixXd GJ = metric_to_dense(jacobian) * to_dense(jacobian);
  EXPECT_LT((GJ + GJ.transpose()).norm(), 1e-12 * GJ.norm());
}

/// A chain of scalar unknowns with dashpots and follower forces: M and C diagonal, K = S + A with symmetric S
/// and antisymmetric A = `share` times a random one.
struct Circulatory {
  MassMatrix mass;
  Tangent tangent;
  Eigen::MatrixXd J;

  Circulatory(int n, double share) {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i + 1 < n; ++i) pairs.emplace_back(i, i + 1);
    const auto pattern = BlockPattern::symmetric(static_cast<std::size_t>(n), 1, pairs);
    tangent = {BlockMatrix(pattern), BlockMatrix(pattern), BlockMatrix(pattern)};
    std::mt19937 random(21);
    std::uniform_real_distribution<double> uniform(0.5, 1.5);
    std::vector<double> masses;
    for (std::size_t i = 0; i < pattern->rows(); ++i) {
      masses.push_back(uniform(random));
      *tangent.stiffness.block(pattern->find(i, static_cast<int>(i))) = 100 * (4 + uniform(random));
      *tangent.damping.block(pattern->find(i, static_cast<int>(i))) = uniform(random);
      if (i == 0) continue;
      const double stiffness = -100 * uniform(random), twist = 100 * share * uniform(random);
      const std::int64_t below = pattern->find(i, static_cast<int>(i) - 1),
                         above = pattern->find(i - 1, static_cast<int>(i));
      *tangent.stiffness.block(below) = *tangent.stiffness.block(above) = stiffness;
      *tangent.circulatory.block(below) = twist;
      *tangent.circulatory.block(above) = -twist;
    }
    mass = MassMatrix::diagonal(masses);
    J = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    J.topRightCorner(n, n).setIdentity();
    const Eigen::VectorXd inverse = Eigen::VectorXd::Map(masses.data(), n).cwiseInverse();
    J.bottomLeftCorner(n, n) =
        -(inverse.asDiagonal() * (tangent.stiffness.to_dense() + tangent.circulatory.to_dense()));
    J.bottomRightCorner(n, n) = -(inverse.asDiagonal() * tangent.damping.to_dense());
  }
};

// The antisymmetric part of K is not in the factor: solves correct for it, and say so where they cannot.
TEST(JacobianTest, ShiftedSolvesWithACirculatoryPart) {
  constexpr int n = 20;
  const Vector b = random_vector(2 * n, 4);
  for (const double share : {0.01, 0.1, 0.3}) {
    const Circulatory system(n, share);
    WorkMeter counters;
    const OscillatorJacobian jacobian(system.mass, system.tangent, 1.0, counters);
    EXPECT_FALSE(jacobian.skew());
    EXPECT_LT((to_dense(jacobian) - system.J).norm(), 1e-13 * system.J.norm());
    for (const double sigma : {0.01, 0.1, 1.0}) {
      Vector x(2 * n);
      jacobian.shifted_inverse(sigma, nullptr)->solve(b, x);
      const Eigen::MatrixXd shifted = Eigen::MatrixXd::Identity(2 * n, 2 * n) - sigma * system.J;
      const Eigen::VectorXd exact = solve(shifted, map(b));
      EXPECT_LT((map(x) - exact).norm(), 1e-11 * exact.norm()) << share << " " << sigma;
    }
  }
  const Circulatory twisted(n, 20);
  WorkMeter counters;
  const OscillatorJacobian jacobian(twisted.mass, twisted.tangent, 1.0, counters);
  Vector x(2 * n);
  EXPECT_THROW(jacobian.shifted_inverse(1.0, nullptr)->solve(b, x), SimulationError);
}

// A stiffness more indefinite than the shift covers is found out, not integrated with imaginary norms.
TEST(JacobianTest, IndefiniteMetricIsNoticed) {
  Dense d = random_oscillator(6, false, false, 5);
  d.K(2, 2) -= 1e4;
  const LinearOscillator system(d.M, d.K, d.C);
  std::vector<double> unit(12, 0.0);
  unit[2] = 1;
  Tangent tangent;
  const State state(0.0, Vector(std::span<const double>(unit)));
  system.tangent(0, state.x(), state.v(), tangent);
  OscillatorJacobian jacobian(system.mass(), tangent, 1.0, system.counters());
  EXPECT_THROW(metric_norm(jacobian, state.y), IndefiniteMetric);
  EXPECT_TRUE(jacobian.skew());
  jacobian.cover_negative_stiffness(200.0);
  EXPECT_FALSE(jacobian.skew());
  EXPECT_GT(metric_norm(jacobian, state.y), 0);
}

TEST(MassTest, BadMassesAreNamed) {
  EXPECT_THROW(MassMatrix::diagonal(std::vector<double>{1, 0, 1}), InputError);
  EXPECT_THROW(MassMatrix::diagonal(std::vector<double>{1, -2}), InputError);
  EXPECT_THROW(MassMatrix::diagonal(std::vector<double>{std::nan("")}), InputError);
  EXPECT_THROW(MassMatrix::blocks(std::vector<Eigen::Matrix3d>{-Eigen::Matrix3d::Identity()}),
               NotPositiveDefinite);
}

TEST(MassTest, BlocksSolve) {
  Eigen::Matrix3d m;
  m << 2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 3;
  const MassMatrix mass = MassMatrix::blocks(std::vector<Eigen::Matrix3d>{m, 2 * m});
  const Vector b = random_vector(6, 3);
  Vector x(b), back(6);
  mass.solve(x, x);
  mass.apply(x, back);
  EXPECT_LT((map(back) - map(b)).norm(), 1e-14);
}

// The analytic solutions solve their equations.
TEST(TestEquationsTest, ExactSolutionsSatisfyTheEquations) {
  std::vector<TestEquation> all;
  all.push_back(dahlquist(2));
  all.push_back(dahlquist(-15));
  all.push_back(overdamped());
  all.push_back(damped_spring());
  all.push_back(wave());
  for (const TestEquation& equation : all) {
    const Eigen::VectorXd y0 = equation.exact(0);
    EXPECT_LT((y0 - map(equation.start.y)).norm(), 1e-14) << equation.name;
    for (const double t : {0.1, 0.37, 0.9}) {
      const double d = 1e-5;
      const Eigen::VectorXd rate = (equation.exact(t + d) - equation.exact(t - d)) / (2 * d);
      const Eigen::VectorXd y = equation.exact(t);
      const State state(t, Vector(std::span(y.data(), 2)));
      Vector F(2);
      equation.system->rate(state, F);
      EXPECT_LT((rate - map(F)).norm(), 1e-6 * (1 + rate.norm())) << equation.name << " at " << t;
    }
  }
}

}  // namespace
}  // namespace stiffly
