#include "stiffly/phi/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "phi/random_cases.hpp"

namespace stiffly::testing {
namespace {

Case dense_skew_case(Index n, double h_rho, double tolerance) {
  Random random(11);
  Case c;
  c.J.matrix = skew_part(random.matrix(n));
  c.J.is_skew = true;
  balance(c, false);
  c.step = h_rho / c.radius;
  for (int j = 0; j < 2; ++j) {
    const VectorXd v = random.vector(n);
    c.b.emplace_back(std::span<const double>(v.data(), static_cast<std::size_t>(n)));
  }
  c.nodes = {0.5, 1};
  c.tolerance = {.relative = tolerance, .absolute = 0};
  return c;
}

/// Independent oscillators in (x,v), their unknowns interleaved.
Case oscillators(Index count) {
  Case c;
  c.J.matrix = MatrixXd::Zero(2 * count, 2 * count);
  for (Index i = 0; i < count; ++i) {
    c.J.matrix(i, count + i) = 1;
    c.J.matrix(count + i, i) = -1.0 - static_cast<double>(i);
  }
  const VectorXd ones = VectorXd::Ones(2 * count);
  c.b.emplace_back(std::span<const double>(ones.data(), static_cast<std::size_t>(2 * count)));
  c.nodes = {1};
  c.tolerance = {.relative = 1e-10, .absolute = 0};
  balance(c, true);
  return c;
}

// The estimate must not be smaller than the true error: 1e-10 is asked of some, 1e-2 of all, and whatever
// comes back is held against what was claimed.
TEST(DenseEvaluator, EstimatesItsRoundOffHonestly) {
  DenseEvaluator dense;
  double worst = 0;
  for (const Solved& s : random_cases()) {
    Case c = s.problem;
    c.tolerance.relative = 1e-2;
    const PhiResult result = evaluate(dense, c);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      const long double error = norm(c, to_long(result.values[i]) - s.solution[i]);
      const auto ratio =
          static_cast<double>(error / static_cast<long double>(result.report.error_estimates[i]));
      EXPECT_LE(ratio, 1.5) << c.label;
      worst = std::max(worst, ratio);
    }
  }
  EXPECT_GT(worst, 0.01);  // nor beyond all reason
}

TEST(DenseEvaluator, WorksToRoundOffOfTheNorm) {
  DenseEvaluator dense;
  const Case c = dense_skew_case(40, 1e5, 1e-10);
  EXPECT_LE(error_over_tolerance({c, oracle(c)}, evaluate(dense, c)), 1);
  EXPECT_THROW(evaluate(dense, dense_skew_case(40, 1e5, 1e-14)), PhiRefusal);
  EXPECT_THROW(evaluate(dense, dense_skew_case(40, 1e8, 1e-10)), PhiRefusal);
}

TEST(DenseEvaluator, TakesIndependentBlocksApart) {
  DenseEvaluator dense;
  const Case c = oscillators(200);
  const PhiResult result = evaluate(dense, c);
  EXPECT_EQ(result.report.largest_basis, 2);
  for (Index i = 0; i < 200; ++i) {
    const double omega = std::sqrt(1.0 + static_cast<double>(i));
    EXPECT_NEAR(host(result.values[0])[static_cast<std::size_t>(i)],
                std::cos(omega) + std::sin(omega) / omega, 1e-13);
  }
}

TEST(DenseEvaluator, AgreesWithItselfOnUnevenNodes) {
  DenseEvaluator dense;
  Case c = dense_skew_case(12, 30, 1e-10);
  for (const auto& nodes :
       {std::vector<double>{0.5, 0.9}, {1.0 / 3, 0.75, 1}, {0.1234567, 0.7654321}, {1e-3, 1}}) {
    c.nodes = nodes;
    EXPECT_LE(error_over_tolerance({c, oracle(c)}, evaluate(dense, c)), 1);
  }
}

TEST(DenseEvaluator, RefusesLargeSystemsAndNamesOthers) {
  DenseEvaluator dense({.max_size = 30});
  try {
    evaluate(dense, dense_skew_case(31, 1, 1e-6));
    FAIL();
  } catch (const PhiRefusal& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("kiops"), std::string::npos);
    EXPECT_NE(std::string(refusal.what()).find("31"), std::string::npos);
  }
  EXPECT_NO_THROW(evaluate(dense, dense_skew_case(30, 1, 1e-6)));
}

}  // namespace
}  // namespace stiffly::testing
