#include "stiffly/phi/chebyshev.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "phi/random_cases.hpp"

namespace stiffly::testing {
namespace {

Case skew_case(double h_rho, double tolerance, std::vector<double> nodes = {1}) {
  Random random(5);
  Case c;
  c.J.matrix = skew_part(random.matrix(20));
  c.J.is_skew = true;
  balance(c, false);
  c.J.bound = c.radius;
  c.step = h_rho / c.radius;
  for (int j = 0; j < 3; ++j) {
    const VectorXd v = random.vector(20);
    c.b.emplace_back(std::span<const double>(v.data(), 20));
  }
  c.nodes = std::move(nodes);
  c.tolerance = {.relative = tolerance, .absolute = 0};
  return c;
}

TEST(Bessel, AgreesWithTheStandardLibrary) {
  for (const double z : {1e-200, 1e-8, 0.5, 1.0, 7.3, 50.0, 311.0}) {
    const auto J = bessel_j(z, 400);
    for (int k = 0; k <= 400; k += 3)
      EXPECT_NEAR(J[static_cast<std::size_t>(k)], std::cyl_bessel_j(k, z), 1e-13) << k << " " << z;
  }
}

// Σ over all k of J_k² is 1, and J_0 + 2 Σ J_2k cos(2kθ) = cos(z sin θ) (where the standard library fails).
TEST(Bessel, HoldsForLargeArguments) {
  const double z = 12345.6, theta = 0.3;
  const auto J = bessel_j(z, 13000);
  double squares = J[0] * J[0], wave = J[0];
  for (std::size_t k = 1; k < J.size(); ++k) {
    squares += 2 * J[k] * J[k];
    if (k % 2 == 0) wave += 2 * J[k] * std::cos(static_cast<double>(k) * theta);
  }
  EXPECT_NEAR(squares, 1, 1e-12);
  EXPECT_NEAR(wave, std::cos(z * std::sin(theta)), 1e-10);
}

// |T_k[x, 0, …, 0]| ≤ k^j/j! with j zeros: why one series serves any number of b_j.
TEST(Chebyshev, NilpotentPartGrowsLikeAPolynomial) {
  for (const int k : {2, 3, 7, 12, 25, 60}) {
    std::vector<double> low(7, 0.0), before = {1, 0, 0, 0, 0, 0, 0}, now = {0, 1, 0, 0, 0, 0, 0};  // T_k at 0
    for (int i = 1; i < k; ++i) {
      for (std::size_t l = 0; l < 7; ++l) low[l] = (l > 0 ? 2 * now[l - 1] : 0) - before[l];
      before = now, now = low;
    }
    double factorial = 1;
    for (int j = 1; j <= 5; ++j) {
      factorial *= j;
      for (double x = 0.3; x <= 1; x += 0.01) {
        double rest = std::cos(k * std::acos(x));
        for (int l = 0; l < j; ++l) rest -= now[static_cast<std::size_t>(l)] * std::pow(x, l);
        EXPECT_LE(std::abs(rest) / std::pow(x, j), 1.0001 * std::pow(k, j) / factorial + 1e-9)
            << k << " " << j << " " << x;
      }
    }
  }
}

TEST(Chebyshev, CostsAboutHRhoProducts) {
  Chebyshev chebyshev;
  for (const double tolerance : {1e-2, 1e-6, 1e-10}) {
    const Case c = skew_case(1000, tolerance);
    const PhiResult result = evaluate(chebyshev, c);
    EXPECT_LE(result.report.products, 1120) << tolerance;
    EXPECT_LE(error_over_tolerance({c, oracle(c)}, result), 1) << tolerance;
  }
}

TEST(Chebyshev, SharesOneSweepAmongAllNodes) {
  Chebyshev chebyshev;
  const Case one = skew_case(200, 1e-8), four = skew_case(200, 1e-8, {0.1, 0.25, 0.5, 1});
  const PhiResult result = evaluate(chebyshev, four);
  EXPECT_LE(std::abs(result.report.products - evaluate(chebyshev, one).report.products), 3);
  EXPECT_LE(error_over_tolerance({four, oracle(four)}, result), 1);
}

TEST(Chebyshev, SplitsLongIntervals) {
  Chebyshev chebyshev({.longest = 50});
  const Case c = skew_case(1000, 1e-8, {0.01, 0.33, 1});
  const PhiResult result = evaluate(chebyshev, c);
  EXPECT_EQ(result.report.substeps, 20);
  EXPECT_LE(error_over_tolerance({c, oracle(c)}, result), 1);
}

TEST(Chebyshev, RecoversFromABoundThatIsTooSmall) {
  Chebyshev chebyshev;
  for (const double factor : {0.2, 0.9, 0.999}) {
    Case c = skew_case(300, 1e-8);
    c.J.bound = factor * c.radius;
    EXPECT_LE(error_over_tolerance({c, oracle(c)}, evaluate(chebyshev, c)), 1) << factor;
  }
}

TEST(Chebyshev, RefusesWhatIsNotSkewAndNamesOthers) {
  Chebyshev chebyshev;
  Case c = skew_case(10, 1e-6);
  c.J.is_skew = false;
  try {
    evaluate(chebyshev, c);
    FAIL();
  } catch (const PhiRefusal& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("kiops"), std::string::npos);
    EXPECT_NE(std::string(refusal.what()).find("rational"), std::string::npos);
  }
}

TEST(Chebyshev, SeesThroughAFalseClaimToBeSkew) {
  Chebyshev chebyshev;
  Case c = skew_case(300, 1e-8);
  c.J.matrix -= 0.3 * c.radius * MatrixXd::Identity(20, 20);
  EXPECT_THROW(evaluate(chebyshev, c), PhiRefusal);
}

TEST(Chebyshev, StopsAtItsCap) {
  Chebyshev chebyshev({.max_products = 500});
  EXPECT_THROW(evaluate(chebyshev, skew_case(1000, 1e-6)), PhiRefusal);
}

}  // namespace
}  // namespace stiffly::testing
