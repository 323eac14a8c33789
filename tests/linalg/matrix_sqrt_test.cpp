#include "stiffly/linalg/matrix_sqrt.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Dense>

#include "stiffly/error.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Q diag(λ) Qᵀ with λ from 1/κ to 1, evenly in their logarithms; the same on every machine.
MatrixXd spd(Eigen::Index n, double kappa) {
  const MatrixXd seed = MatrixXd::NullaryExpr(n, n, [](Eigen::Index i, Eigen::Index j) {
    return std::sin(1.0 + 12.9898 * static_cast<double>(i) +
                    78.233 * static_cast<double>(j) * static_cast<double>(i + 1));
  });
  const MatrixXd Q = orthogonal_factor(seed);
  const VectorXd lambda = VectorXd::NullaryExpr(n, [&](Eigen::Index i) {
    return std::pow(kappa, -static_cast<double>(i) / static_cast<double>(n - 1));
  });
  const MatrixXd A = Q * lambda.asDiagonal() * Q.transpose();
  return 0.5 * (A + A.transpose());
}

/// ‖Ω² − A‖/‖A‖. A backward stable root has a residual of some nε; n = 60 here, so 60 · 2.2e-16 · 10 < 1e-12
/// whatever the conditioning.
double residual(const MatrixXd& root, const MatrixXd& A) { return (root * root - A).norm() / A.norm(); }

TEST(MatrixSqrt, SquaresToTheMatrix) {
  for (const double kappa : {1.0, 1e2, 1e6, 1e10}) {
    const MatrixXd A = spd(60, kappa);
    EXPECT_LT(residual(sqrt_by_eigen(A), A), 1e-12) << kappa;
    EXPECT_LT(residual(sqrt_by_newton(A).root, A), 1e-12) << kappa;
    EXPECT_LT(residual(sqrt_by_newton(A, {.scaled = false}).root, A), 1e-12) << kappa;
  }
}

TEST(MatrixSqrt, BothAgreeAsFarAsTheRootIsDetermined) {
  for (const double kappa : {1.0, 1e4, 1e10}) {
    const MatrixXd A = spd(60, kappa);
    const MatrixXd root = sqrt_by_eigen(A);
    // A change of ε‖A‖ in A changes the root by up to ε‖A‖/(2√λ_min).
    const double sensitivity = std::sqrt(kappa);
    EXPECT_LT((root - sqrt_by_newton(A).root).norm() / root.norm(), 1e-14 * 60 * sensitivity) << kappa;
  }
}

TEST(MatrixSqrt, ScalingMakesTheNumberOfIterationsIndependentOfConditioning) {
  for (const double kappa : {1e2, 1e6, 1e10}) {
    const MatrixXd A = spd(60, kappa);
    const int scaled = sqrt_by_newton(A).iterations;
    const int plain = sqrt_by_newton(A, {.scaled = false}).iterations;
    EXPECT_LE(scaled, 11) << kappa;
    // Halving brings the farthest singular value of R, 1/√κ → √κ/2, down to 1 in ½log₂κ steps.
    EXPECT_NEAR(plain, 0.5 * std::log2(kappa) + 5, 2.5) << kappa;
    EXPECT_GE(plain, scaled) << kappa;
  }
}

TEST(MatrixSqrt, ScaleOfTheMatrixDoesNotMatter) {
  const MatrixXd A = spd(20, 1e4);
  for (const double unit : {1e-100, 1e-8, 1e8, 1e100}) {
    EXPECT_LT(residual(sqrt_by_eigen(unit * A), unit * A), 1e-12) << unit;
    EXPECT_LT(residual(sqrt_by_newton(unit * A).root, unit * A), 1e-12) << unit;
    EXPECT_LE(sqrt_by_newton(unit * A).iterations, 11) << unit;
  }
}

TEST(MatrixSqrt, NamesTheRowThatIsNotPositiveDefinite) {
  MatrixXd A = MatrixXd::Identity(5, 5);
  A(3, 3) = -1;
  for (const bool newton : {false, true}) try {
      if (newton)
        sqrt_by_newton(A);
      else
        sqrt_by_eigen(A);
      ADD_FAILURE() << "accepted";
    } catch (const NotPositiveDefinite& error) {
      EXPECT_EQ(error.row(), 3);
    }
  EXPECT_THROW(sqrt_by_eigen(MatrixXd::Zero(2, 2)), NotPositiveDefinite);
  EXPECT_THROW(sqrt_by_newton(MatrixXd::Zero(2, 2)), NotPositiveDefinite);
}

TEST(MatrixSqrt, RefusesWhatIsNotASymmetricMatrix) {
  MatrixXd A = MatrixXd::Identity(3, 3);
  A(0, 1) = 0.5;
  EXPECT_THROW(sqrt_by_eigen(A), InputError);
  EXPECT_THROW(sqrt_by_newton(MatrixXd::Zero(2, 3)), InputError);
  A(0, 1) = std::nan("");
  EXPECT_THROW(sqrt_by_eigen(A), SimulationError);
  EXPECT_THROW(sqrt_by_newton(spd(20, 1e10), {.scaled = false, .max_iterations = 5}), SimulationError);
  EXPECT_EQ(sqrt_by_eigen(MatrixXd()).size(), 0);
  EXPECT_EQ(sqrt_by_newton(MatrixXd()).iterations, 0);
}

}  // namespace
}  // namespace stiffly
