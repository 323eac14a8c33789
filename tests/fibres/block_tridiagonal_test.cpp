// The kernels of block-tridiagonal matrices against dense matrices of Eigen.
#include <gtest/gtest.h>

#include <algorithm>
#include <Eigen/Dense>
#include <limits>
#include <random>

#include "fibres/lane_array.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A random symmetric block-tridiagonal matrix; `shift` on its diagonal decides how definite it is.
MatrixXd random_matrix(int sections, double shift, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const int n = batch::section_size * sections;
  MatrixXd A = MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = (std::max(0, i / batch::section_size - 1)) * batch::section_size; j <= i; ++j)
      A(i, j) = A(j, i) = normal(random) + (i == j ? shift : 0);
  return A;
}

/// W matrices as panels, what is never touched filled with what must not be.
struct BlockSystems {
  BlockSystems(const BatchKernelTable& table, int count)
      : kernels(table),
        sections(count),
        panels(table.lanes, count * batch::panel_size),
        inverse_pivots(table.lanes, count * batch::section_size),
        failed(table.lanes, 1) {
    panels.fill(std::numeric_limits<double>::quiet_NaN());
  }
  void set(int lane, const MatrixXd& A) {
    constexpr int size = batch::section_size;
    for (int i = 0; i < size * sections; ++i)
      for (int j = std::max(0, i / size - 1) * size; j <= i; ++j)
        panels(i * 2 * size + j - (i / size - 1) * size, lane) = A(i, j);
  }
  void factor() { kernels.factor_matrix(sections, panels.data(), inverse_pivots.data(), failed.data()); }

  const BatchKernelTable& kernels;
  int sections;
  LaneArray panels, inverse_pivots, failed;
};

class BlockTridiagonal : public ::testing::TestWithParam<int> {
 protected:
  const BatchKernelTable& kernels_ = batch_kernels(GetParam());
  std::mt19937 random_{5};
};

TEST_P(BlockTridiagonal, ProductsAndSolvesAreThoseOfDenseMatrices) {
  std::normal_distribution<double> normal;
  for (const int sections : {1, 2, 9})
    for (const double shift : {13.7, 0.3}) {  // positive definite, and not
      BlockSystems batch(kernels_, sections);
      const int n = batch::section_size * sections;
      std::vector<MatrixXd> A;
      LaneArray x(kernels_.lanes, n), y(kernels_.lanes, n);
      for (int lane = 0; lane < kernels_.lanes; ++lane) {
        A.push_back(random_matrix(sections, shift, random_));
        batch.set(lane, A.back());
        for (int i = 0; i < n; ++i) x(i, lane) = normal(random_);
      }
      kernels_.multiply(sections, batch.panels.data(), x.data(), y.data());
      for (int lane = 0; lane < kernels_.lanes; ++lane) {
        const VectorXd expected = A[static_cast<std::size_t>(lane)] * x.lane(lane);
        EXPECT_LT((y.lane(lane) - expected).norm(), 1e-14 * expected.norm() * std::sqrt(n));
      }
      LaneArray solution = x;
      batch.factor();
      kernels_.solve(sections, batch.panels.data(), batch.inverse_pivots.data(), solution.data());
      for (int lane = 0; lane < kernels_.lanes; ++lane) {
        const MatrixXd& dense = A[static_cast<std::size_t>(lane)];
        EXPECT_EQ(batch.failed(0, lane), 0);
        const VectorXd left = dense * solution.lane(lane) - x.lane(lane);
        // Without pivoting, what is not positive definite loses digits to its smallest pivot.
        const double digits = shift > 1 ? 1e-14 : 1e-10;
        EXPECT_LT(left.norm(), digits * dense.norm() * solution.lane(lane).norm())
            << sections << " " << shift;
      }
    }
}

TEST_P(BlockTridiagonal, PivotsHaveTheSignsOfTheEigenvalues) {
  const int sections = 3;
  BlockSystems batch(kernels_, sections);
  std::vector<int> negative;
  for (int lane = 0; lane < kernels_.lanes; ++lane) {
    const MatrixXd A = random_matrix(sections, 2.3, random_);
    batch.set(lane, A);
    negative.push_back(static_cast<int>((symmetric_eigenvalues(A).array() < 0).count()));
  }
  batch.factor();
  for (int lane = 0; lane < kernels_.lanes; ++lane) {
    EXPECT_GT(negative[static_cast<std::size_t>(lane)], 0);
    EXPECT_EQ((batch.inverse_pivots.lane(lane).array() < 0).count(),
              negative[static_cast<std::size_t>(lane)]);
  }
}

// One lane is singular or not a number; the others do not notice.
TEST_P(BlockTridiagonal, FailureIsToldOfItsLaneAlone) {
  for (int bad = 0; bad < kernels_.lanes; ++bad)
    for (const bool singular : {true, false}) {
      const int sections = 4;
      BlockSystems batch(kernels_, sections);
      for (int lane = 0; lane < kernels_.lanes; ++lane) {
        MatrixXd A = random_matrix(sections, 20.3, random_);
        if (lane == bad && singular) {
          A.row(29) = 0.7 * A.row(25);  // in the same section: the pattern stays
          A.col(29) = 0.7 * A.col(25);
          A(29, 29) = 0.49 * A(25, 25);
        } else if (lane == bad) {
          A(30, 20) = A(20, 30) = std::numeric_limits<double>::quiet_NaN();
        }
        batch.set(lane, A);
      }
      batch.factor();
      for (int lane = 0; lane < kernels_.lanes; ++lane) EXPECT_EQ(batch.failed(0, lane), lane == bad ? 1 : 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Lanes, BlockTridiagonal, ::testing::ValuesIn(lane_counts()));

TEST(BatchKernelsTest, TheWidestAreTakenAndOthersRefused) {
  EXPECT_EQ(batch_kernels().lanes, lane_counts().back());
  EXPECT_GE(lane_counts().size(), 2u);
  for (const int lanes : {-1, 3, 16}) EXPECT_THROW(batch_kernels(lanes), InputError);
}

}  // namespace
}  // namespace stiffly::test
