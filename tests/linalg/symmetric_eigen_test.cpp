#include "stiffly/linalg/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "stiffly/forces/strain6.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/linalg/matrix3.hpp"

namespace stiffly {
namespace {

/// Random symmetric matrices, and those that are hard: with eigenvalues that are equal, nothing, or far
/// apart.
template <class Matrix>
std::vector<Matrix> symmetric_cases() {
  std::mt19937 random(71);
  std::normal_distribution<double> normal;
  std::vector<Matrix> out{Matrix::Zero(), Matrix::Identity(), -3.1 * Matrix::Identity()};
  for (int i = 0; i < 300; ++i) {
    const Matrix B = Matrix::NullaryExpr([&] { return normal(random); });
    const Eigen::MatrixXd Q = orthogonal_factor(B);
    Eigen::VectorXd values = Eigen::VectorXd::NullaryExpr(B.rows(), [&] { return normal(random); });
    if (i % 3 == 1) values.tail(2).setConstant(0.7);
    if (i % 3 == 2)
      for (int k = 0; k < values.size(); ++k) values(k) *= std::pow(10.0, 2 * k - 5);
    const Matrix A = std::pow(10.0, i % 25 - 12) * Q * values.asDiagonal() * Q.transpose();
    out.push_back(0.5 * (A + A.transpose()));
  }
  return out;
}

template <class Matrix>
class SymmetricEigenTest : public testing::Test {};
using Sizes = testing::Types<Eigen::Matrix3d, Matrix6d, Matrix9d>;
TYPED_TEST_SUITE(SymmetricEigenTest, Sizes);

TYPED_TEST(SymmetricEigenTest, AgreesWithTheDecompositionOfDenseMatrices) {
  for (const TypeParam& A : symmetric_cases<TypeParam>()) {
    const SymmetricEigen<TypeParam> eigen(A);
    const double scale = A.norm();
    EXPECT_LE((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - A).norm(),
              4e-14 * scale);
    EXPECT_LE((eigen.vectors.transpose() * eigen.vectors - TypeParam::Identity()).norm(), 4e-14);
    Eigen::VectorXd values = eigen.values;
    std::ranges::sort(values);
    EXPECT_LE((values - symmetric_eigenvalues(A)).norm(), 4e-14 * scale);
  }
}

TYPED_TEST(SymmetricEigenTest, ThePositivePartIsTheNearestMatrixWithoutNegativeEigenvalues) {
  int indefinite = 0;
  for (const TypeParam& A : symmetric_cases<TypeParam>()) {
    const SymmetricDecomposition eigen = symmetric_decomposition(A);
    const TypeParam expected =
        eigen.vectors * eigen.values.cwiseMax(0).asDiagonal() * eigen.vectors.transpose();
    EXPECT_LE((positive_part(A) - expected).norm(), 4e-14 * A.norm());
    indefinite += eigen.values.minCoeff() < 0;
  }
  EXPECT_GT(indefinite, 100);
}

}  // namespace
}  // namespace stiffly
