#include "stiffly/linalg/block_matrix.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "random_vector.hpp"
#include "stiffly/error.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"

namespace stiffly {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A random symmetric positive definite block matrix: a graph Laplacian of random blocks plus a diagonal.
BlockMatrix random_spd(std::size_t rows, int b, std::size_t groups, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> pick(0, static_cast<int>(rows / groups) - 1);
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t e = 0; e < 3 * rows / groups; ++e) {
      const int base = static_cast<int>(g * (rows / groups));
      const int i = base + pick(random), j = base + pick(random);
      if (i != j) pairs.emplace_back(i, j);
    }
  BlockMatrix A(BlockPattern::symmetric(rows, b, pairs));
  std::normal_distribution<double> normal;
  for (const auto& [i, j] : pairs) {
    const Eigen::VectorXd d = Eigen::VectorXd::NullaryExpr(b, [&](Eigen::Index) { return normal(random); });
    const RowMajor block = d * d.transpose();
    const auto add = [&](int r, int c, double sign) {
      Eigen::Map<RowMajor>(A.block(A.pattern().find(static_cast<std::size_t>(r), c)), b, b) += sign * block;
    };
    add(i, i, 1), add(j, j, 1), add(i, j, -1), add(j, i, -1);
  }
  A.add_diagonal(1.0, std::vector<double>(A.unknowns(), 0.5));
  return A;
}

Eigen::Map<const Eigen::VectorXd> map(const Vector& x) {
  return {host(x).data(), static_cast<Eigen::Index>(x.size())};
}

class BlockMatrixTest : public testing::TestWithParam<int> {};

TEST_P(BlockMatrixTest, ProductAgreesWithDense) {
  const BlockMatrix A = random_spd(5000 / 10, GetParam(), 1, 1);
  const Vector x = random_vector(A.unknowns(), 2);
  Vector y(A.unknowns());
  A.apply(x, y);
  EXPECT_LT((A.to_dense() * map(x) - map(y)).norm(), 1e-12 * map(y).norm());
}

TEST_P(BlockMatrixTest, CholeskySolvesAndKeepsItsAnalysis) {
  BlockMatrix A = random_spd(400, GetParam(), 1, 3);
  SparseCholesky factor;
  for (int round = 0; round < 3; ++round) {
    A.add_diagonal(1.0, std::vector<double>(A.unknowns(), 1.0));
    factor.factorize(A);
    const Vector b = random_vector(A.unknowns(), 4);
    Vector x(A.unknowns());
    factor.solve(b, x);
    EXPECT_LT((A.to_dense() * map(x) - map(b)).norm(), 1e-11 * map(b).norm());
  }
  EXPECT_EQ(factor.analyses(), 1);
  EXPECT_GT(factor.factor_entries(), static_cast<double>(A.unknowns()));
}

TEST_P(BlockMatrixTest, AnOrderOfEliminationIsFoundOnce) {
  const BlockMatrix A = random_spd(20, GetParam(), 1, 3);
  static int times;
  times = 0;
  const auto find = [](const BlockPattern& pattern) {
    ++times;
    return std::vector<int>(pattern.rows(), 7);
  };
  for (int round = 0; round < 2; ++round) {
    const std::span<const int> order = A.pattern().elimination_order(find);
    EXPECT_EQ(order.size(), 20u);
    EXPECT_EQ(order.back(), 7);
  }
  EXPECT_EQ(times, 1);
}

TEST_P(BlockMatrixTest, IndependentPartsAreSeenAndUsed) {
  const BlockMatrix A = random_spd(2000, GetParam(), 40, 5);
  const std::vector<int> component = A.pattern().components();
  for (std::size_t row = 0; row < component.size(); ++row)
    for (std::int64_t k = A.pattern().row_begin(row); k < A.pattern().row_end(row); ++k)
      EXPECT_EQ(component[row], component[static_cast<std::size_t>(A.pattern().column(k))]);
  EXPECT_GE(*std::max_element(component.begin(), component.end()) + 1, 40);

  SparseCholesky factor;
  factor.factorize(A);
  EXPECT_GT(factor.parts(), 1u);
  const Vector b = random_vector(A.unknowns(), 6);
  Vector x(A.unknowns()), back(A.unknowns());
  factor.solve(b, x);
  A.apply(x, back);
  EXPECT_LT((map(back) - map(b)).norm(), 1e-11 * map(b).norm());
}

TEST_P(BlockMatrixTest, IndefiniteMatricesAreRefusedWithTheirRow) {
  BlockMatrix A = random_spd(300, GetParam(), 1, 7);
  std::vector<double> dent(A.unknowns(), 0.0);
  const std::size_t place = 100 * static_cast<std::size_t>(GetParam());
  dent[place] = -1e6;
  A.add_diagonal(1.0, dent);
  SparseCholesky factor;
  try {
    factor.factorize(A);
    FAIL() << "an indefinite matrix was accepted";
  } catch (const NotPositiveDefinite& error) {
    EXPECT_EQ(error.row(), static_cast<long>(place));
  }
  EXPECT_FALSE(factor.factorized());
  dent[place] = 1e6;
  A.add_diagonal(2.0, dent);
  factor.factorize(A);  // the object can be used again
  EXPECT_TRUE(factor.factorized());
}

TEST_P(BlockMatrixTest, SumsOfPatterns) {
  const BlockMatrix small = random_spd(50, GetParam(), 5, 8);
  BlockMatrix large = random_spd(50, GetParam(), 1, 9);
  const Eigen::MatrixXd diagonal_only = [&] {
    BlockMatrix d(BlockPattern::symmetric(50, GetParam(), {}));
    d.add_diagonal(1.0, std::vector<double>(d.unknowns(), 2.0));
    const Eigen::MatrixXd before = large.to_dense();
    large.add(3.0, d);
    return Eigen::MatrixXd(large.to_dense() - before);
  }();
  EXPECT_LT(
      (diagonal_only - 6 * Eigen::MatrixXd::Identity(diagonal_only.rows(), diagonal_only.cols())).norm(),
      1e-9);
  BlockMatrix diagonal(BlockPattern::symmetric(50, GetParam(), {}));
  EXPECT_THROW(diagonal.add(1.0, small), InputError);
}

INSTANTIATE_TEST_SUITE_P(BlockSizes, BlockMatrixTest, testing::Values(1, 3));

TEST(VectorTest, OperationsAgreeWithDense) {
  for (const std::size_t n : {1u, 7u, 4096u, 4097u, 100003u}) {
    std::vector<Vector> xs;
    for (unsigned k = 0; k < 7; ++k) xs.push_back(random_vector(n, k));
    Vector y = random_vector(n, 99);
    const Eigen::VectorXd before = map(y);
    std::vector<double> dots(xs.size()), a = {1, -2, 3, -4, 5, -6, 7};
    multi_dot(xs, y, dots);
    for (std::size_t k = 0; k < xs.size(); ++k)
      EXPECT_NEAR(dots[k], map(xs[k]).dot(before), 1e-10 * std::sqrt(static_cast<double>(n)) * 10);
    Eigen::VectorXd expected = before;
    for (std::size_t count = 0; count <= xs.size(); ++count) {  // they are taken in groups of four and two
      multi_axpby(std::span(a).first(count), std::span<const Vector>(xs).first(count), -0.5, y);
      expected *= -0.5;
      for (std::size_t k = 0; k < count; ++k) expected += a[k] * map(xs[k]);
      EXPECT_LT((map(y) - expected).norm(), 1e-13 * expected.norm()) << count;
    }
    EXPECT_NEAR(norm(y), expected.norm(), 1e-12 * expected.norm());
  }
}

}  // namespace
}  // namespace stiffly
