#include "stiffly/phi/rational.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>

#include "phi/random_cases.hpp"

namespace stiffly::testing {
namespace {

using Complex = std::complex<double>;

/// Independent rotations: entry i and entry n/2 + i turn at frequency ω_i. Solves and solutions in closed
/// form.
class Rotations final : public LinearOperator {
 public:
  explicit Rotations(VectorXd omega) : omega_(std::move(omega)) {}
  std::size_t size() const override { return static_cast<std::size_t>(2 * omega_.size()); }
  void apply(ConstVectorView x, VectorView y) const override {
    each(x, y, [](double w, Complex z) { return Complex(0, -w) * z; });
  }
  bool skew() const override { return true; }
  bool can_shift_invert() const override { return true; }
  std::unique_ptr<ShiftedInverse> shifted_inverse(double sigma,
                                                  std::unique_ptr<ShiftedInverse> previous) const override {
    if (sigma > largest_shift) throw NotPositiveDefinite("the shift is too large", 0);
    recycled += previous != nullptr ? 1 : 0;
    ++factorizations;
    return std::make_unique<Inverse>(*this, sigma);
  }
  template <typename Function>
  void each(ConstVectorView x, VectorView y, Function f) const {
    const auto in = host(x);
    const auto out = host(y);
    const std::size_t n = size() / 2;
    for (std::size_t i = 0; i < n; ++i) {
      const Complex z = f(omega_(static_cast<Index>(i)), Complex(in[i], in[n + i]));
      out[i] = z.real();
      out[n + i] = z.imag();
    }
  }
  double largest_shift = HUGE_VAL;
  mutable int recycled = 0, factorizations = 0, solves = 0;

 private:
  struct Inverse final : ShiftedInverse {
    Inverse(const Rotations& o, double s) : owner(o), sigma(s) {}
    void solve(ConstVectorView b, VectorView x) const override {
      ++owner.solves;
      owner.each(b, x, [this](double w, Complex z) { return z / Complex(1, sigma * w); });
    }
    const Rotations& owner;
    double sigma;
  };
  VectorXd omega_;
};

/// φ_j(z) for imaginary z: the series while it is accurate, else the recurrence.
Complex phi_imaginary(int j, Complex z) {
  Complex value = 0, term = 1;
  if (std::abs(z) < 1) {
    for (int k = 1; k <= j; ++k) term /= k;
    for (int k = j; k < j + 25; ++k, term *= z / static_cast<double>(k)) value += term;
    return value;
  }
  double factorial = 1;
  value = std::exp(z);
  for (int k = 0; k < j; factorial *= ++k) value = (value - 1 / factorial) / z;
  return value;
}

/// A problem of rotations with its solution.
struct Problem {
  Rotations J;
  std::vector<Vector> b;
  std::vector<double> nodes;

  Problem(VectorXd omega, std::vector<double> outputs) : J(std::move(omega)), nodes(std::move(outputs)) {}
  void add(const VectorXd& v) {
    b.emplace_back(std::span<const double>(v.data(), static_cast<std::size_t>(v.size())));
  }
  PhiResult evaluate(PhiEvaluator& evaluator, double tolerance) const {
    const auto v = views(b);
    return evaluator.evaluate({J, 1, v, nodes, {tolerance, 0}});
  }
  Vector solution(double c) const {
    Vector w(J.size()), term(J.size());
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (b[j].empty()) continue;
      const int k = static_cast<int>(j);
      J.each(b[j], term, [&](double omega, Complex z) {
        return std::pow(c, k) * phi_imaginary(k, Complex(0, -omega * c)) * z;
      });
      axpy(1, term, w);
    }
    return w;
  }
  /// Largest relative error, and largest ratio of error to estimate, over the outputs.
  std::pair<double, double> errors(const PhiResult& result) const {
    double relative = 0, dishonesty = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Vector w = solution(nodes[i]);
      const double size = stiffly::norm(w);
      axpy(-1, result.values[i], w);
      relative = std::max(relative, stiffly::norm(w) / size);
      dishonesty = std::max(dishonesty, stiffly::norm(w) / result.report.error_estimates[i]);
    }
    return {relative, dishonesty};
  }
};

/// 50 frequencies in [0, 30], 100 around 30√κ, 1e-3 of the vectors there; b_1 and, for p = 4, b_3 and b_4 as
/// well.
Problem bimodal(double kappa, int p, bool with_b0 = false) {
  Random random(11);
  VectorXd omega(150);
  for (Index i = 0; i < 150; ++i)
    omega(i) = i < 50 ? random.uniform(0, 30) : 30 * std::sqrt(kappa) * random.uniform(0.5, 1);
  Problem problem(omega, {0.5, 1});
  for (int j = 0; j <= p; ++j) {
    const VectorXd v =
        VectorXd::NullaryExpr(300, [&](Index i) { return random.normal() * (i % 150 < 50 ? 1 : 1e-3); });
    if ((j == 0 && !with_b0) || j == 2)
      problem.b.emplace_back();
    else
      problem.add(v);
  }
  return problem;
}

/// Fewest and most solves over κ = 1e4 … 1e10.
std::pair<int, int> solves_over_stiffness(int p, bool with_b0, double tolerance) {
  int fewest = 1 << 30, most = 0;
  for (const double kappa : {1e4, 1e6, 1e8, 1e10}) {
    const Problem problem = bimodal(kappa, p, with_b0);
    Rational evaluator;
    const PhiResult result = problem.evaluate(evaluator, tolerance);
    EXPECT_LE(problem.errors(result).first, tolerance) << kappa;
    EXPECT_EQ(result.report.solves, problem.J.solves);
    EXPECT_EQ(result.report.factorizations, 1);
    fewest = std::min(fewest, result.report.solves);
    most = std::max(most, result.report.solves);
  }
  fmt::print("p {}{}, tolerance {:.0e}: {} to {} solves\n", p, with_b0 ? " with b_0" : "", tolerance, fewest,
             most);
  return {fewest, most};
}

TEST(Rational, NeedsTheSameSolvesWhateverTheStiffness) {
  for (const int p : {1, 4})
    for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
      const auto [fewest, most] = solves_over_stiffness(p, false, tolerance);
      EXPECT_GE(fewest, 10);
      EXPECT_LE(most, 40);
      EXPECT_LE(most, 1.2 * fewest) << "tolerance " << tolerance << " p " << p;
    }
}

// φ_0 takes nothing off a fast part of the start: it is there in the end. Below the tolerance it may be left
// alone.
TEST(Rational, IgnoresFastPartsOfTheStartBelowTheTolerance) {
  for (const int p : {0, 1, 4})
    for (const double tolerance : {1e-2, 3e-3}) {
      const auto [fewest, most] = solves_over_stiffness(p, true, tolerance);
      EXPECT_LE(most, 40);
      EXPECT_LE(most, 1.2 * fewest) << "tolerance " << tolerance << " p " << p;
    }
}

// Oscillations of 1e-3 at frequencies no substep can follow: whoever delivers 1e-4 has missed them.
TEST(Rational, RefusesWhatIsBeyondResolution) {
  const Problem problem = bimodal(1e10, 0, true);
  Rational evaluator;
  EXPECT_THROW(problem.evaluate(evaluator, 1e-4), PhiRefusal);
  EXPECT_LE(problem.J.solves, evaluator.options().max_solves + 2 * evaluator.options().max_basis);
}

// As much fast as slow motion, from the start on and beyond any resolution: the smoothed norm leaves the fast
// part alone and still holds what it promises, which is all of the slow part.
TEST(Rational, SmoothedErrorsPassOverWhatIsTooFastForTheStep) {
  for (const double kappa : {1e8, 1e9, 1e10})
    for (const double tolerance : {1e-1, 1e-2, 1e-3}) {
      Random random(5);
      Problem problem = bimodal(kappa, 1, true);
      problem.add(VectorXd::NullaryExpr(300, [&](Index) { return random.normal(); }));
      problem.b[0] = Vector(problem.b.back());
      problem.b.pop_back();
      Rational evaluator;
      EXPECT_THROW(problem.evaluate(evaluator, tolerance), PhiRefusal);
      const auto v = views(problem.b);
      const PhiResult result =
          evaluator.evaluate({problem.J, 1, v, problem.nodes, {tolerance, 0, PhiNorm::smoothed}});
      for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
        Vector w = problem.solution(problem.nodes[i]);
        Vector error(w);
        axpy(-1, result.values[i], error);
        const auto smoothed = [&](Vector& x) {
          Vector y(x.size());
          problem.J.shifted_inverse(evaluator.options().pole, nullptr)->solve(x, y);
          return stiffly::norm(y);
        };
        const auto slow = [&](Vector& x) {
          Vector y(x.size());
          problem.J.each(x, y, [](double omega, Complex z) { return omega <= 30 ? z : 0.0; });
          return stiffly::norm(y);
        };
        EXPECT_LE(smoothed(error), tolerance * smoothed(w)) << "kappa " << kappa << " at " << tolerance;
        EXPECT_LE(slow(error), 2 * tolerance * slow(w)) << "kappa " << kappa << " at " << tolerance;
      }
      EXPECT_LE(result.report.solves, 60) << "kappa " << kappa << " at " << tolerance;
    }
}

// Fast frequencies in a narrow band look like one to the space, long before it can tell their phases apart:
// residuals measured after a solve are 100 times too small there, and so are differences of successive
// spaces.
TEST(Rational, EstimatesHonestlyWhereFastFrequenciesAreClose) {
  Random random(3);
  for (int k = 0; k < 40; ++k) {
    const double fast = random.power_of_ten(2, 6), width = random.power_of_ten(-4, 0),
                 part = random.power_of_ten(-4, -1);
    VectorXd omega(60);
    for (Index i = 0; i < 60; ++i)
      omega(i) = i < 20 ? random.uniform(0, 30) : fast * (1 + width * random.uniform());
    Problem problem(omega, {0.3, 1});
    for (int j = 0; j <= k % 3; ++j)
      problem.add(
          VectorXd::NullaryExpr(120, [&](Index i) { return random.normal() * (i % 60 < 20 ? 1 : part); }));
    Rational evaluator;
    for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-5}) try {
        const auto [error, dishonesty] = problem.errors(problem.evaluate(evaluator, tolerance));
        EXPECT_LE(error, tolerance) << k;
        EXPECT_LE(dishonesty, 1) << k;
      } catch (const PhiRefusal&) {
      }
  }
}

TEST(Rational, TakesSubstepsWhereASpaceWouldGrowTooLarge) {
  Random random(4);
  Problem problem(VectorXd::NullaryExpr(150, [&] { return random.uniform(0, 300); }), {0.2, 1.0 / 3, 1});
  for (int j = 0; j < 3; ++j) problem.add(random.vector(300));
  Rational evaluator;
  const PhiResult result = problem.evaluate(evaluator, 1e-8);
  EXPECT_GT(result.report.substeps, 1);
  EXPECT_LE(result.report.largest_basis, 100);
  EXPECT_LE(result.report.factorizations, 4);
  const auto [error, dishonesty] = problem.errors(result);
  EXPECT_LE(error, 1e-8);
  EXPECT_LE(dishonesty, 1);

  Rational hasty({.max_basis = 20, .max_solves = 100});
  problem.J.solves = 0;
  EXPECT_THROW(problem.evaluate(hasty, 1e-8), PhiRefusal);
  EXPECT_LE(problem.J.solves, 140);
}

TEST(Rational, StopsWhereTheSpaceIsInvariant) {
  VectorXd omega(40);
  omega << VectorXd::Constant(20, 3.0),
      VectorXd::Constant(20, 2e4);  // two frequencies: four dimensions and the border
  Random random(8);
  for (const int p : {0, 1, 3}) {
    Problem problem(omega, {0.5, 1});
    for (int j = 0; j <= p; ++j)
      if (j < p)
        problem.b.emplace_back();
      else
        problem.add(random.vector(80));
    Rational evaluator;
    const PhiResult result = problem.evaluate(evaluator, 1e-7);
    EXPECT_LE(problem.errors(result).first, 1e-7) << p;
    EXPECT_LE(result.report.solves, p + 6) << p;
  }
}

TEST(Rational, TakesASmallerShiftWhereALargeOneCannotBeFactorised) {
  Random random(9);
  Problem problem(VectorXd::NullaryExpr(20, [&] { return random.uniform(0, 20); }), {1});
  problem.add(random.vector(40));
  problem.J.largest_shift = 1e-3;
  Rational evaluator;
  EXPECT_LE(problem.errors(problem.evaluate(evaluator, 1e-6)).first, 1e-6);
  problem.J.largest_shift = 0;
  EXPECT_THROW(problem.evaluate(evaluator, 1e-6), PhiRefusal);
}

// Calls with one operator share its inverse, whatever their nodes; another one, though a copy, has its own.
TEST(Rational, MakesOneInverseOfAnOperatorAndRecyclesItForTheNext) {
  Problem problem = bimodal(1e6, 1);
  Rational evaluator;
  problem.evaluate(evaluator, 1e-2);
  problem.nodes = {0.75};
  const PhiResult again = problem.evaluate(evaluator, 1e-2);
  EXPECT_EQ(problem.J.factorizations, 1);
  EXPECT_EQ(again.report.factorizations, 0);
  EXPECT_LE(problem.errors(again).first, 1e-2);
  problem.nodes = {0.1};  // too short for the shift that is there
  EXPECT_LE(problem.errors(problem.evaluate(evaluator, 1e-4)).first, 1e-4);
  EXPECT_EQ(problem.J.factorizations, 2);

  const Problem copy = problem;
  EXPECT_LE(copy.errors(copy.evaluate(evaluator, 1e-4)).first, 1e-4);
  EXPECT_EQ(copy.J.factorizations, 3);
  EXPECT_EQ(copy.J.recycled, 2);
}

TEST(Rational, NeedsShiftedSolves) {
  struct Plain final : LinearOperator {
    std::size_t size() const override { return 3; }
    void apply(ConstVectorView x, VectorView y) const override { copy(x, y); }
  } const plain;
  const Vector v(std::vector<double>{1, 2, 3});
  const ConstVectorView b[] = {v};
  const double node = 1;
  Rational evaluator;
  EXPECT_THROW(evaluator.evaluate({plain, 1, b, {&node, 1}, {1e-3, 0}}), InputError);
}

// Every family of random cases: not only the tolerance (evaluators_test does that), the estimate itself is a
// bound.
TEST(Rational, EstimatesBoundTheErrors) {
  Rational evaluator;
  double worst = 0;
  for (const Solved& s : random_cases()) try {
      const PhiResult result = evaluate(evaluator, s.problem);
      for (std::size_t i = 0; i < s.solution.size(); ++i) {
        const long double error = norm(s.problem, to_long(result.values[i]) - s.solution[i]);
        const long double size = norm(s.problem, s.solution[i]);
        if (error < 1e-13L * size) continue;
        worst = std::max(worst, static_cast<double>(error / result.report.error_estimates[i]));
        EXPECT_LE(error, 1.5 * result.report.error_estimates[i]) << s.problem.label;
      }
    } catch (const PhiRefusal&) {
    }
  fmt::print("largest error/estimate {:.2f}\n", worst);
}

}  // namespace
}  // namespace stiffly::testing
