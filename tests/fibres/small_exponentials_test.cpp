// Exponentials of small matrices in lanes against those of single dense matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fibres/lane_array.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/linalg/dense.hpp"

namespace stiffly::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class SmallExponentialsInLanes : public ::testing::TestWithParam<int> {
 protected:
  /// exp(t A) of one matrix for each lane.
  std::vector<MatrixXd> exponentials(const std::vector<MatrixXd>& A, const std::vector<double>& t) {
    const int m = static_cast<int>(A.front().rows()), W = kernels_.lanes;
    LaneArray matrices(W, m * m), out(W, m * m), work(W, 5 * m * m), times(W, 1), norm(W, 1);
    work.fill(std::nan(""));
    out.fill(std::nan(""));
    for (int lane = 0; lane < W; ++lane) {
      times(0, lane) = t[static_cast<std::size_t>(lane)];
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j) matrices(i * m + j, lane) = A[static_cast<std::size_t>(lane)](i, j);
    }
    kernels_.exponential(m, matrices.data(), times.data(), out.data(), norm.data(), work.data());
    std::vector<MatrixXd> result;
    for (int lane = 0; lane < W; ++lane) {
      const VectorXd entries = out.lane(lane);
      result.push_back(
          Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
              entries.data(), m, m));
      const auto k = static_cast<std::size_t>(lane);
      // Of ‖·‖₂, which is at least ‖·‖_F/√m.
      EXPECT_FALSE(norm(0, lane) * (1 + 1e-14) < t[k] * A[k].norm() / std::sqrt(m));
    }
    return result;
  }
  MatrixXd random(int m, double size) {
    std::normal_distribution<double> normal(0, size / std::sqrt(m));
    return MatrixXd::NullaryExpr(m, m, [&] { return normal(random_); });
  }

  const BatchKernelTable& kernels_ = batch_kernels(GetParam());
  std::mt19937 random_{11};
};

// A different kind in each lane, so that every lane is squared as often as it needs and no more: random,
// skew, far from normal, of large norm, zero, and smaller than the others.
TEST_P(SmallExponentialsInLanes, AreThoseOfDenseMatrices) {
  const int W = kernels_.lanes;
  double worst = 0;
  for (const int m : {4, 12, 20, 64})
    for (int first = 0; first < 6; ++first) {
      std::vector<MatrixXd> A;
      std::vector<double> t;
      for (int lane = 0; lane < W; ++lane) {
        const MatrixXd r = random(m, 1.3);
        MatrixXd a = r;
        switch ((first + lane) % 6) {
          case 1:
            a = 47.3 * (r - r.transpose());
            break;
          case 2:
            a *= 0.7;
            a.triangularView<Eigen::StrictlyUpper>() *= 31.7;
            break;
          case 3:
            a = -13.7 * r * r.transpose() + 61.3 * (r - r.transpose());
            break;
          case 4:
            a.setZero();
            break;
          case 5:
            a.bottomRows(m / 3).setZero();
            a.rightCols(m / 3).setZero();
            break;
          default:
            break;
        }
        A.push_back(a);
        t.push_back(0.37 + 0.11 * lane);
      }
      const std::vector<MatrixXd> out = exponentials(A, t);
      for (int lane = 0; lane < W; ++lane) {
        const auto k = static_cast<std::size_t>(lane);
        const MatrixXd expected = exponential(t[k] * A[k]);
        // Squaring rounds as often as the norm is large.
        const double off = (out[k] - expected).norm() / expected.norm() / (1 + t[k] * A[k].norm());
        worst = std::max(worst, off);
        EXPECT_LT(off, 2e-15) << m << " " << (first + lane) % 6;
      }
    }
  std::printf("%s: off by %.1e of (1 + |A|) at most\n", kernels_.name, worst);
}

// The value of a lane is the same to the bit whatever the others are.
TEST_P(SmallExponentialsInLanes, LanesDoNotMeet) {
  const int W = kernels_.lanes, m = 12;
  std::vector<MatrixXd> A, other;
  for (int lane = 0; lane < W; ++lane) {
    A.push_back(random(m, std::pow(3.7, lane)));
    other.push_back(lane == 0 ? A[0] : random(m, 1e3));
  }
  if (W > 1) other.back().setConstant(std::nan(""));
  const std::vector<double> t(static_cast<std::size_t>(W), 0.73);
  EXPECT_EQ(exponentials(A, t)[0], exponentials(other, t)[0]);
}

TEST_P(SmallExponentialsInLanes, AreAppliedToVectors) {
  const int W = kernels_.lanes, m = 8;
  LaneArray E(W, m * m), x(W, m), y(W, m);
  std::vector<MatrixXd> A;
  for (int lane = 0; lane < W; ++lane) {
    A.push_back(random(m, 1.7));
    for (int i = 0; i < m * m; ++i) E(i, lane) = A.back()(i / m, i % m);
    for (int i = 0; i < m; ++i) x(i, lane) = 0.3 * i - 0.7 * lane + 0.1;
  }
  kernels_.apply_small(m, E.data(), x.data(), y.data());
  for (int lane = 0; lane < W; ++lane)
    EXPECT_LT((y.lane(lane) - A[static_cast<std::size_t>(lane)] * x.lane(lane)).norm(),
              1e-14 * x.lane(lane).norm());
}

INSTANTIATE_TEST_SUITE_P(Lanes, SmallExponentialsInLanes, ::testing::ValuesIn(lane_counts()));

}  // namespace
}  // namespace stiffly::test
