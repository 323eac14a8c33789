// What all Krylov evaluators are held to.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "phi/random_cases.hpp"

namespace stiffly::testing {

inline Vector vector(const VectorXd& x) {
  return Vector(std::span<const double>(x.data(), static_cast<std::size_t>(x.size())));
}

inline Case with_matrix(MatrixXd J, std::vector<VectorXd> b, double tolerance = 1e-8) {
  Case c;
  c.J.matrix = std::move(J);
  balance(c, false);
  for (const VectorXd& v : b) c.b.push_back(v.size() > 0 ? vector(v) : Vector());
  c.nodes = {0.4, 1};
  c.tolerance = {.relative = tolerance, .absolute = 0};
  return c;
}

/// Masses in a row in the energy inner product, pushed by b_1 and, if asked for, b_3; frequencies up to 2.
/// More unknowns than the largest space has vectors: orthogonalisation is incomplete.
inline Case chain(double h_rho, double tolerance, bool cubic) {
  const Index m = 130;
  MatrixXd K = 2 * MatrixXd::Identity(m, m);
  K.diagonal(1).setConstant(-1);
  K.diagonal(-1).setConstant(-1);
  Matrices matrices = oscillator(K, MatrixXd::Zero(m, m), VectorXd::Ones(m), K);
  Case c;
  c.J.matrix = std::move(matrices.J);
  c.J.metric = std::move(matrices.metric);
  c.J.is_skew = true;
  balance(c, true);
  c.step = h_rho / 2;
  Random random(11);
  c.b.emplace_back();
  c.b.push_back(vector(random.vector(2 * m)));
  if (cubic) {
    c.b.emplace_back();
    c.b.push_back(vector(random.vector(2 * m)));
  }
  c.nodes = {1};
  c.tolerance = {.relative = tolerance, .absolute = 0};
  return c;
}

/// With little room for bases: many substeps, and tolerance and estimate kept in all of them.
inline void expect_honest_in_many_substeps(PhiEvaluator& evaluator, std::uint64_t first_seed) {
  int refused = 0, tested = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + 64; ++seed) {
    const Case c = make_case(seed);
    if (c.h_rho() > 300 || c.J.size() > 60 || c.family == "plain oscillator") continue;
    ++tested;
    try {
      const PhiResult result = evaluate(evaluator, c);
      const auto exact = oracle(c);
      EXPECT_LE(error_over_tolerance({c, exact}, result), 1) << c.label;
      for (std::size_t i = 0; i < exact.size(); ++i)
        EXPECT_LE(static_cast<double>(norm(c, to_long(result.values[i]) - exact[i])),
                  result.report.error_estimates[i])
            << c.label;
    } catch (const PhiRefusal&) {
      ++refused;
    }
  }
  EXPECT_GE(tested, 20);
  EXPECT_LE(refused, tested / 10);
}

/// hρ products: the cost of polynomials, and little more.
inline void expect_about_as_many_products_as_radians(
    const std::function<std::unique_ptr<PhiEvaluator>()>& make) {
  for (const bool cubic : {false, true})
    for (const double tolerance : {1e-2, 1e-6})
      for (const double h_rho : {100.0, 1000.0}) {
        const Case c = chain(h_rho, tolerance, cubic);
        const PhiResult result = evaluate(*make(), c);
        EXPECT_LE(result.report.products, 1.3 * h_rho + 40) << h_rho << " " << tolerance << " " << cubic;
        EXPECT_EQ(result.report.products, c.J.products);
        EXPECT_LE(miss(c, result), 1);
      }
}

/// An eigenvector, a nilpotent matrix, the zero matrix: a space ends by itself, and the result is exact.
inline void expect_exact_in_invariant_spaces(PhiEvaluator& evaluator) {
  Random random(9);
  const MatrixXd Q = random.orthogonal(8);
  VectorXd lambda = VectorXd::LinSpaced(8, -30, 3);
  const Case eigenvector =
      with_matrix(Q * lambda.asDiagonal() * Q.transpose(), {Q.col(2), 2 * Q.col(2)}, 1e-11);
  const PhiResult one = evaluate(evaluator, eigenvector);
  EXPECT_LE(miss(eigenvector, one), 1);
  EXPECT_LE(one.report.products, 40);

  const MatrixXd upper = random.matrix(6).triangularView<Eigen::StrictlyUpper>();
  const Case nilpotent = with_matrix(upper, {random.vector(6), VectorXd(), random.vector(6)}, 1e-12);
  EXPECT_LE(miss(nilpotent, evaluate(evaluator, nilpotent)), 1);

  const Case nothing =
      with_matrix(MatrixXd::Zero(5, 5), {random.vector(5), VectorXd(), random.vector(5)}, 1e-13);
  const PhiResult polynomial = evaluate(evaluator, nothing);
  EXPECT_LE(miss(nothing, polynomial), 1);
  EXPECT_LE(polynomial.report.products, 8);
}

}  // namespace stiffly::testing
