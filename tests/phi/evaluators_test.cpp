// What every evaluator of the registry promises: the tolerance or a refusal, and a defined answer to odd
// input.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "phi/random_cases.hpp"
#include "stiffly/phi/registry.hpp"

namespace stiffly::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

const EvaluatorInfo& info(const std::string& name) {
  for (const EvaluatorInfo& e : evaluators())
    if (e.name == name) return e;
  throw InputError("no such evaluator: " + name);
}

/// Whether the evaluator has no excuse to refuse: polynomials need hρ products and lose digits with each of
/// them, chebyshev needs a skew matrix, and nobody can be better than round-off.
bool should_handle(const EvaluatorInfo& e, const Case& c) {
  if (e.name == "chebyshev" && !c.J.is_skew) return false;
  if (e.family == "polynomial" && c.h_rho() > 1e4) return false;
  return 1e-14 * (10 + c.h_rho()) <= c.tolerance.relative;
}

/// Share of those cases an evaluator may still refuse. Rational Krylov converges slowly on rough vectors at
/// tight tolerances: that is its known limit.
double allowed_share(const EvaluatorInfo& e) { return e.family == "rational" ? 0.25 : 0.02; }

class Evaluators : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<PhiEvaluator> make() const { return info(GetParam()).make(); }

  /// A skew problem of six unknowns that all evaluators solve.
  static Case plain() {
    Random random(7);
    Case c;
    c.J.matrix = skew_part(random.matrix(6));
    c.J.is_skew = true;
    balance(c, false);
    c.step = 1 / c.radius;
    for (int j = 0; j < 3; ++j) {
      const VectorXd v = random.vector(6);
      c.b.emplace_back(std::span<const double>(v.data(), 6));
    }
    c.nodes = {0.5, 1};
    c.tolerance = {.relative = 1e-6, .absolute = 0};
    return c;
  }
  static double miss(const Case& c, const PhiResult& result) {
    return error_over_tolerance({c, oracle(c)}, result);
  }
};

TEST_P(Evaluators, KeepTheToleranceOrRefuse) {
  const auto evaluator = make();
  int expected = 0, refused = 0, refused_without_excuse = 0;
  double worst = 0;
  for (const Solved& s : random_cases()) {
    const bool must = should_handle(info(GetParam()), s.problem);
    expected += must ? 1 : 0;
    try {
      const PhiResult result = evaluate(*evaluator, s.problem);
      const double miss_by = error_over_tolerance(s, result);
      EXPECT_LE(miss_by, 1) << s.problem.label;
      worst = std::max(worst, miss_by);
    } catch (const PhiRefusal& refusal) {
      ++refused;
      refused_without_excuse += must ? 1 : 0;
      if (must) RecordProperty(fmt::format("refused_{}", refused_without_excuse), s.problem.label);
      EXPECT_NE(std::string(refusal.what()), "");
    }
  }
  fmt::print("{}: worst error/tolerance {:.2g}; refused {} of {} cases, {} of the {} it should handle\n",
             GetParam(), worst, refused, random_cases().size(), refused_without_excuse, expected);
  EXPECT_LE(refused_without_excuse, allowed_share(info(GetParam())) * expected);
}

TEST_P(Evaluators, ReportTheProductsTheyMade) {
  if (info(GetParam()).family != "polynomial" && GetParam() != "dense") GTEST_SKIP() << "counts solves";
  const auto evaluator = make();
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Case c = make_case(seed);
    if (!c.J.euclidean() || c.h_rho() > 1e3) continue;
    c.J.products = 0;
    try {
      EXPECT_EQ(evaluate(*evaluator, c).report.products, c.J.products) << c.label;
    } catch (const PhiRefusal&) {
    }
  }
}

TEST_P(Evaluators, NameThemselvesInTheReport) {
  const PhiReport report = evaluate(*make(), plain()).report;
  EXPECT_FALSE(report.evaluator.empty());
  EXPECT_EQ(report.error_estimates.size(), 2u);
}

TEST_P(Evaluators, RefuseBadArguments) {
  const auto evaluator = make();
  const auto expect_input_error = [&](const std::string& what, const Case& c) {
    EXPECT_THROW(evaluate(*evaluator, c), InputError) << what;
  };
  for (const double step : {0.0, -1.0, nan, infinity}) {
    Case c = plain();
    c.step = step;
    expect_input_error(fmt::format("step {}", step), c);
  }
  for (const double tolerance : {0.0, -1e-3, nan, infinity}) {
    Case c = plain();
    c.tolerance.relative = tolerance;
    expect_input_error(fmt::format("tolerance {}", tolerance), c);
  }
  for (const auto& nodes : {std::vector<double>{}, {0}, {-1}, {1, 0.5}, {1, 1}, {nan}, {0.5, infinity}}) {
    Case c = plain();
    c.nodes = nodes;
    expect_input_error("nodes", c);
  }
  for (const double entry : {nan, infinity, -infinity}) {
    Case c = plain();
    host(c.b[1])[3] = entry;
    EXPECT_THROW(evaluate(*evaluator, c), PhiRefusal) << "b with " << entry;  // of a step that blew up
  }
  Case c = plain();
  c.b[1] = Vector(5);
  expect_input_error("size", c);
}

TEST_P(Evaluators, GiveZerosForZerosAtNoCost) {
  Case c = plain();
  for (const auto& b : {std::vector<Vector>{}, std::vector<Vector>(3), std::vector<Vector>(2, Vector(6))}) {
    c.b = b;
    c.J.products = 0;
    const PhiResult result = evaluate(*make(), c);
    ASSERT_EQ(result.values.size(), 2u);
    for (const Vector& value : result.values) EXPECT_EQ(norm(value), 0);
    EXPECT_EQ(result.report.products, 0);
    EXPECT_EQ(result.report.solves, 0);
    EXPECT_EQ(c.J.products, 0);
  }
}

TEST_P(Evaluators, DoTheExponentialAlone) {
  Case c = plain();
  c.b.resize(1);
  EXPECT_LE(miss(c, evaluate(*make(), c)), 1);
}

TEST_P(Evaluators, TreatEmptyAndZeroVectorsAlike) {
  Case c = plain();
  c.b[0] = Vector();
  const PhiResult empty = evaluate(*make(), c);
  EXPECT_LE(miss(c, empty), 1);
  c.b[0] = Vector(6);
  c.b.emplace_back();
  EXPECT_LE(miss(c, evaluate(*make(), c)), 1);
}

TEST_P(Evaluators, IntegrateThePolynomialWhereTheMatrixIsZero) {
  Case c = plain();
  c.J.matrix.setZero();
  c.radius = 0;
  c.step = 1;
  EXPECT_LE(miss(c, evaluate(*make(), c)), 1);
}

TEST_P(Evaluators, HandleOneUnknown) {
  for (const double lambda : {0.0, -1.5, 0.7}) {
    if (lambda != 0 && GetParam() == "chebyshev") continue;
    Case c = plain();
    c.J.matrix = MatrixXd::Constant(1, 1, lambda);
    c.J.is_skew = lambda == 0;
    c.scaling = VectorXd::Ones(1);
    c.radius = std::abs(lambda);
    c.step = 1;
    const double values[] = {1, -2, 0.5};
    c.b.clear();
    for (const double& value : values) c.b.emplace_back(std::span<const double>(&value, 1));
    EXPECT_LE(miss(c, evaluate(*make(), c)), 1) << lambda;
  }
}

TEST_P(Evaluators, RespectAbsoluteTolerances) {
  Case c = plain();
  c.tolerance = {.relative = 0, .absolute = 1e-5};
  EXPECT_LE(miss(c, evaluate(*make(), c)), 1);
}

TEST_P(Evaluators, ReachBeyondNodeOne) {
  Case c = plain();
  c.nodes = {0.1, 2.5};
  EXPECT_LE(miss(c, evaluate(*make(), c)), 1);
}

TEST_P(Evaluators, RefuseWhatDoublesCannotHold) {
  Case c = plain();
  c.tolerance.relative = 1e-19;
  EXPECT_THROW(evaluate(*make(), c), PhiRefusal) << "a tolerance below round-off";
  c = plain();
  c.J.matrix(2, 3) = nan;
  EXPECT_THROW(evaluate(*make(), c), PhiRefusal) << "a matrix that is not finite";
  c = plain();
  c.J.matrix = MatrixXd::Identity(6, 6);
  c.J.is_skew = false;
  c.step = 2000;
  EXPECT_THROW(evaluate(*make(), c), PhiRefusal) << "exp(2000)";
}

TEST_P(Evaluators, MayBeUsedAgain) {
  const auto evaluator = make();
  const Case c = plain();
  EXPECT_LE(miss(c, evaluate(*evaluator, c)), 1);
  for (const std::uint64_t seed : {3u, 9u, 17u, 24u}) try {
      evaluate(*evaluator, make_case(seed));
    } catch (const PhiRefusal&) {
    }
  EXPECT_LE(miss(c, evaluate(*evaluator, c)), 1);
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const EvaluatorInfo& e : evaluators()) out.push_back(e.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Registry, Evaluators, ::testing::ValuesIn(names()),
                         [](const auto& p) { return p.param; });

// ---- the oracle itself ----

/// φ_j(z) by its series, or for large |z| by the recurrence, which is stable there.
std::complex<long double> phi(int j, std::complex<long double> z) {
  if (std::abs(z) < 20) {
    std::complex<long double> sum = 0, term = 1;
    for (int k = 1; k <= j; ++k) term /= k;
    for (int k = j; k < 150; ++k) {
      sum += term;
      term *= z / static_cast<long double>(k + 1);
    }
    return sum;
  }
  std::complex<long double> value = std::exp(z);
  long double factorial = 1;
  for (int k = 0; k < j; ++k) {
    value = (value - 1 / factorial) / z;
    factorial *= k + 1;
  }
  return value;
}

TEST(Oracle, AgreesWithClosedForms) {
  for (const double omega : {0.3, 3.0, 40.0, 2e3}) {
    Case c;
    c.J.matrix = (Eigen::Matrix2d() << 0, omega, -omega, 0).finished();
    c.scaling = VectorXd::Ones(2);
    c.radius = omega;
    c.step = 0.7;
    c.nodes = {0.25, 1};
    Random random(3);
    std::vector<VectorXd> b;
    for (int j = 0; j <= 5; ++j) {
      b.push_back(random.vector(2));
      c.b.emplace_back(std::span<const double>(b.back().data(), 2));
    }
    const auto w = oracle(c);
    for (std::size_t i = 0; i < c.nodes.size(); ++i) {
      std::complex<long double> expected = 0;  // u = x − iy turns by exp(iωt)
      for (int j = 0; j <= 5; ++j)
        expected +=
            static_cast<long double>(std::pow(c.nodes[i], j)) *
            phi(j, std::complex<long double>(
                       0, static_cast<long double>(c.nodes[i]) * static_cast<long double>(c.step) * omega)) *
            std::complex<long double>(b[static_cast<std::size_t>(j)](0), -b[static_cast<std::size_t>(j)](1));
      const long double error = std::abs(expected - std::complex<long double>(w[i](0), -w[i](1)));
      EXPECT_LE(error, 1e-18L * (100 + omega) * std::abs(expected)) << omega;
    }
  }
}

}  // namespace
}  // namespace stiffly::testing
