#include "stiffly/phi/leja.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <set>

#include "phi/random_cases.hpp"

namespace stiffly::testing {
namespace {

TEST(LejaPoints, AreDistinctAndSpreadLikeChebyshev) {
  const auto xi = leja_points();
  EXPECT_EQ(xi.front(), 2);
  EXPECT_EQ(std::set<double>(xi.begin(), xi.end()).size(), xi.size());
  int outer = 0;  // the arcsine law puts a third of them beyond √3
  for (const double x : xi) {
    EXPECT_TRUE(x > 0 && x <= 2);
    outer += x > std::sqrt(3) ? 1 : 0;
  }
  EXPECT_NEAR(outer, static_cast<double>(xi.size()) / 3, 3);
}

// The Newton polynomial takes the values of the exponential at its points, and between them where it is long
// enough.
TEST(LejaPoints, CoefficientsInterpolateTheExponential) {
  const auto xi = leja_points();
  for (const double gamma : {0.5, 5.0, 20.0, 35.0}) {
    const auto d = newton_coefficients(gamma, 121);
    ASSERT_EQ(d.size(), 121u);
    const auto value = [&](double x) {
      const std::complex<double> z(0, x);
      std::complex<double> sum = d[0], w = z;
      for (std::size_t k = 1; 2 * k < d.size(); ++k) {
        sum += (d[2 * k - 1] + d[2 * k] * z) * w;
        w *= z * z + xi[k - 1] * xi[k - 1];
      }
      return sum;
    };
    for (const double x : xi)
      EXPECT_LE(std::abs(value(x) - std::polar(1.0, gamma * x)), 1e-12) << gamma << " " << x;
    for (double x = -2; x <= 2; x += 0.01)
      EXPECT_LE(std::abs(value(x) - std::polar(1.0, gamma * x)), 1e-11) << gamma << " " << x;
  }
}

Case scaled_case(MatrixXd J, double h_rho, double tolerance) {
  Case c;
  Random random(8);
  c.J.matrix = std::move(J);
  balance(c, false);
  c.step = h_rho / c.radius;
  const Index n = c.J.matrix.rows();
  for (int j = 0; j < 3; ++j) {
    const VectorXd v = random.vector(n);
    c.b.emplace_back(std::span<const double>(v.data(), static_cast<std::size_t>(n)));
  }
  c.nodes = {0.3, 1};
  c.tolerance = {.relative = tolerance, .absolute = 0};
  return c;
}

TEST(Leja, KeepsItsDegreeBelow300) {
  Random random(6);
  Leja leja;
  for (const double tolerance : {1e-2, 1e-6, 1e-10}) {
    Case c = scaled_case(skew_part(random.matrix(16)), 800, tolerance);
    c.J.is_skew = true;
    c.J.bound = c.radius;
    const PhiResult result = evaluate(leja, c);
    EXPECT_LE(result.report.largest_basis, 300);
    EXPECT_LE(result.report.products, 2 * 800);
    EXPECT_EQ(result.report.rejected, 0);
    EXPECT_LE(error_over_tolerance({c, oracle(c)}, result), 1);
  }
}

// Frequencies that coincide with the first points make early terms vanish.
TEST(Leja, IsNotFooledByEigenvaluesAtItsPoints) {
  Leja leja;
  for (const double h_rho : {20.0, 60.0, 223.0}) {
    Case c = scaled_case((Eigen::Matrix2d() << 0, 1, -1, 0).finished(), h_rho, 1e-2);
    c.J.is_skew = true;
    c.J.bound = 1;
    EXPECT_LE(error_over_tolerance({c, oracle(c)}, evaluate(leja, c)), 1) << h_rho;
  }
}

TEST(Leja, IsRightOrRefusesAwayFromTheImaginaryAxis) {
  Random random(6);
  Leja leja;
  int solved = 0;
  for (const double real : {-1.0, -0.3, 0.1, 0.5})
    for (const double h_rho : {3.0, 30.0, 100.0}) {
      const MatrixXd S = skew_part(random.matrix(10));
      const VectorXd d = VectorXd::NullaryExpr(10, [&] { return random.uniform(); });
      const Case c = scaled_case(S / spectral_norm(S) + real * MatrixXd(d.asDiagonal()), h_rho, 1e-6);
      try {
        EXPECT_LE(error_over_tolerance({c, oracle(c)}, evaluate(leja, c)), 1) << real << " " << h_rho;
        ++solved;
      } catch (const PhiRefusal&) {
      }
    }
  EXPECT_GE(solved, 10);
}

TEST(Leja, StopsAtItsCap) {
  Random random(1);
  Leja leja({.max_products = 1000});
  EXPECT_THROW(evaluate(leja, scaled_case(skew_part(random.matrix(10)), 1e4, 1e-6)), PhiRefusal);
}

}  // namespace
}  // namespace stiffly::testing
