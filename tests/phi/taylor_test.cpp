#include "stiffly/phi/taylor.hpp"

#include <gtest/gtest.h>

#include "phi/random_cases.hpp"

namespace stiffly::testing {
namespace {

Case taylor_case(MatrixXd J, double step, double tolerance) {
  Case c;
  Random random(4);
  c.J.matrix = std::move(J);
  balance(c, false);
  c.step = step;
  const Index n = c.J.matrix.rows();
  for (int j = 0; j < 2; ++j) {
    const VectorXd v = random.vector(n);
    c.b.emplace_back(std::span<const double>(v.data(), static_cast<std::size_t>(n)));
  }
  c.nodes = {0.5, 1};
  c.tolerance = {.relative = tolerance, .absolute = 0};
  return c;
}

TEST(Taylor, NeedsFewerProductsForLooserTolerances) {
  Random random(1);
  Case c = taylor_case(skew_part(random.matrix(15)), 1, 1e-2);
  c.J.is_skew = true;
  c.J.bound = c.radius;
  c.step = 300 / c.radius;
  Taylor taylor;
  int before = 0;
  for (const double tolerance : {1e-2, 1e-6, 1e-10}) {
    c.tolerance.relative = tolerance;
    const PhiResult result = evaluate(taylor, c);
    EXPECT_LE(miss(c, result), 1);
    EXPECT_GT(result.report.products, before);
    EXPECT_LE(result.report.products, 6.5 * 300);
    before = result.report.products;
  }
}

// x' = v, v' = −ω²x in the Euclidean norm: ‖J‖ = ω², but powers grow like ω^k only, and so must the cost.
TEST(Taylor, GoesByTheGrowthOfPowersNotByTheNorm) {
  MatrixXd J = MatrixXd::Zero(2, 2);
  J(0, 1) = 1;
  J(1, 0) = -1e4;
  Case c = taylor_case(J, 1, 1e-6);
  balance(c, true);
  Taylor taylor;
  const PhiResult result = evaluate(taylor, c);
  EXPECT_LE(miss(c, result), 1);
  EXPECT_LE(result.report.products, 1500);  // h‖J‖ is 10 000
}

// One direction grows by e^30 while the solution starts beside it: early errors are what counts at the end.
TEST(Taylor, CountsTheGrowthOfEarlierErrors) {
  Random random(2);
  VectorXd lambda(4);
  lambda << 30, -20, -5, 0;
  const MatrixXd Q = random.orthogonal(4);
  Case c = taylor_case(Q * lambda.asDiagonal() * Q.transpose(), 1, 1e-4);
  VectorXd beside = Q.col(3);
  c.b = {Vector(std::span<const double>(beside.data(), 4))};
  Taylor taylor;
  const Solved solved{c, oracle(c)};
  try {
    EXPECT_LE(error_over_tolerance(solved, evaluate(taylor, c)), 1);
  } catch (const PhiRefusal&) {
  }
  c.tolerance.relative = 1e-13;
  EXPECT_THROW(evaluate(taylor, c), PhiRefusal);
}

TEST(Taylor, IsNotFooledByTransients) {
  MatrixXd J = MatrixXd::Zero(8, 8);  // a chain: each unknown drives the next, 50 times as strongly
  for (Index i = 0; i + 1 < 8; ++i) J(i, i + 1) = 50;
  J.diagonal().setConstant(-1);
  Taylor taylor;
  for (const double tolerance : {1e-2, 1e-8}) {
    Case c = taylor_case(J, 1, tolerance);
    const VectorXd end = VectorXd::Unit(8, 7);
    c.b[0] = Vector(std::span<const double>(end.data(), 8));
    EXPECT_LE(miss(c, evaluate(taylor, c)), 1);
  }
}

TEST(Taylor, StopsAtItsCap) {
  Random random(1);
  Taylor taylor({.max_products = 1000});
  EXPECT_THROW(evaluate(taylor, taylor_case(skew_part(random.matrix(10)), 1e4, 1e-6)), PhiRefusal);
}

}  // namespace
}  // namespace stiffly::testing
