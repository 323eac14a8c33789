#include "stiffly/phi/kiops.hpp"

#include <gtest/gtest.h>

#include "phi/random_cases.hpp"

namespace stiffly::testing {
namespace {

Vector vector(const VectorXd& x) { return Vector(std::span<const double>(x.data(), static_cast<std::size_t>(x.size()))); }

Case with_matrix(MatrixXd J, std::vector<VectorXd> b, double tolerance = 1e-8) {
  Case c;
  c.J.matrix = std::move(J);
  balance(c, false);
  for (const VectorXd& v : b) c.b.push_back(v.size() > 0 ? vector(v) : Vector());
  c.nodes = {0.4, 1};
  c.tolerance = {.relative = tolerance, .absolute = 0};
  return c;
}

/// Masses between two walls, light enough springs in between to have slow waves too, in the energy inner product.
Case chain(double h_rho, double tolerance, bool cubic) {
  const Index m = 130;  // 2m + p > 256: incomplete orthogonalisation
  MatrixXd K = 2 * MatrixXd::Identity(m, m);
  K.diagonal(1).setConstant(-1);
  K.diagonal(-1).setConstant(-1);
  Matrices matrices = oscillator(K, MatrixXd::Zero(m, m), VectorXd::Ones(m), K);
  Case c;
  c.J.matrix = std::move(matrices.J);
  c.J.metric = std::move(matrices.metric);
  c.J.is_skew = true;
  balance(c, true);
  c.step = h_rho / 2;  // frequencies up to 2
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

double miss(const Case& c, const PhiResult& result) { return error_over_tolerance({c, oracle(c)}, result); }

TEST(KiopsTest, KeepsToleranceAndEstimateInManySubsteps) {
  Kiops kiops(Kiops::Options{.max_basis = 24});  // little room: substeps and incomplete orthogonality in earnest
  int refused = 0, tested = 0;
  for (std::uint64_t seed = 2000; seed < 2064; ++seed) {
    const Case c = make_case(seed);
    if (c.h_rho() > 300 || c.J.size() > 60 || c.family == "plain oscillator") continue;
    ++tested;
    try {
      const PhiResult result = evaluate(kiops, c);
      const auto exact = oracle(c);
      EXPECT_LE(error_over_tolerance({c, exact}, result), 1) << c.label;
      for (std::size_t i = 0; i < exact.size(); ++i)
        EXPECT_LE(static_cast<double>(norm(c, to_long(result.values[i]) - exact[i])), result.report.error_estimates[i]) << c.label;
    } catch (const PhiRefusal&) {
      ++refused;
    }
  }
  EXPECT_GE(tested, 20);
  EXPECT_LE(refused, tested / 10);
}

// hρ products: the cost of polynomials (FINDINGS §1), and little more.
TEST(KiopsTest, TakesAboutAsManyProductsAsRadians) {
  for (const bool cubic : {false, true})
    for (const double tolerance : {1e-2, 1e-6})
      for (const double h_rho : {100.0, 1000.0}) {
        const Case c = chain(h_rho, tolerance, cubic);
        Kiops kiops;
        const PhiResult result = evaluate(kiops, c);
        EXPECT_LE(result.report.products, 1.3 * h_rho + 40) << h_rho << " " << tolerance << " " << cubic;
        EXPECT_EQ(result.report.products, c.J.products);
        EXPECT_LE(miss(c, result), 1);
      }
}

TEST(KiopsTest, ReadsOutputsOnTheWayFromTheSameBasis) {
  Case c = chain(50, 1e-7, true);
  Kiops kiops;
  evaluate(kiops, c);
  const int one = evaluate(kiops, c).report.products;
  c.nodes = {0.125, 1.0 / 9 + 0.5, 1};
  const PhiResult result = evaluate(kiops, c);
  EXPECT_LE(result.report.products, one);
  EXPECT_LE(miss(c, result), 1);
}

TEST(KiopsTest, LearnsFromCallToCall) {
  Kiops kiops;
  const Case c = chain(60, 1e-4, false);
  const int first = evaluate(kiops, c).report.products, second = evaluate(kiops, c).report.products;
  EXPECT_LE(second, 1.05 * first);
  Kiops stranger;  // who comes from a problem with a tenth of the frequency
  evaluate(stranger, chain(6, 1e-4, false));
  EXPECT_LE(evaluate(stranger, c).report.products, 1.2 * second);
}

// With b_1 a million times b_0 the border would outweigh u, were it not scaled.
TEST(KiopsTest, BalancesVectorsOfUnlikeSize) {
  Random random(3);
  for (const double ratio : {1e-6, 1e6}) {
    Case c = with_matrix(skew_part(random.matrix(30)), {random.vector(30), ratio * random.vector(30), random.vector(30)}, 1e-10);
    c.J.is_skew = true;
    c.step = 20 / c.radius;
    Kiops kiops;
    EXPECT_LE(miss(c, evaluate(kiops, c)), 1) << ratio;
  }
}

TEST(KiopsTest, IsExactInInvariantSpaces) {
  Kiops kiops;
  Random random(9);
  const MatrixXd Q = random.orthogonal(8);
  VectorXd lambda = VectorXd::LinSpaced(8, -30, 3);
  const Case eigenvector = with_matrix(Q * lambda.asDiagonal() * Q.transpose(), {Q.col(2), 2 * Q.col(2)}, 1e-11);
  const PhiResult one = evaluate(kiops, eigenvector);
  EXPECT_LE(miss(eigenvector, one), 1);
  EXPECT_LE(one.report.products, 40);

  const MatrixXd upper = random.matrix(6).triangularView<Eigen::StrictlyUpper>();
  const Case nilpotent = with_matrix(upper, {random.vector(6), VectorXd(), random.vector(6)}, 1e-12);
  EXPECT_LE(miss(nilpotent, evaluate(kiops, nilpotent)), 1);

  const Case nothing = with_matrix(MatrixXd::Zero(5, 5), {random.vector(5), VectorXd(), random.vector(5)}, 1e-13);
  const PhiResult polynomial = evaluate(kiops, nothing);
  EXPECT_LE(miss(nothing, polynomial), 1);
  EXPECT_LE(polynomial.report.products, 8);
}

TEST(KiopsTest, TakesTinyVectorsForWhatTheyAre) {
  Random random(10);
  for (const double size : {1e-290, 1e200}) {
    Case c = with_matrix(skew_part(random.matrix(20)), {size * random.vector(20), size * random.vector(20)}, 1e-9);
    c.J.is_skew = true;
    Kiops kiops;
    EXPECT_LE(miss(c, evaluate(kiops, c)), 1) << size;
  }
}

TEST(KiopsTest, RefusesTheEndlessAtOnce) {
  Kiops kiops(Kiops::Options{.max_products = 2000});
  const Case c = chain(1e6, 1e-3, false);
  EXPECT_THROW(evaluate(kiops, c), PhiRefusal);
  EXPECT_LE(c.J.products, 2100);
}

}  // namespace
}  // namespace stiffly::testing
