#include "stiffly/phi/auto_evaluator.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "stiffly/system/linear_oscillator.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly {
namespace {

constexpr PhiRegime here{-5, -4, 1};

/// Total time of `calls` decisions when the two candidates always take these times.
double spent(EvaluatorChoice& choice, double first, double second, int calls, int guess) {
  double total = 0;
  for (int i = 0; i < calls; ++i) {
    const auto decision = choice.decide(here, guess);
    const double time = decision.candidate == 0 ? first : second;
    if (decision.budget && time > *decision.budget) {  // given up, then the other does it
      total += *decision.budget + (decision.candidate == 0 ? second : first);
      choice.learn(here, decision.candidate, std::numeric_limits<double>::infinity());
      continue;
    }
    total += time;
    choice.learn(here, decision.candidate, time);
  }
  return total;
}

TEST(EvaluatorChoiceTest, StaysWithinABoundOfTheFaster) {
  for (const double ratio : {0.001, 0.2, 0.7, 0.95, 1.1, 1.6, 5.0, 1000.0})
    for (const int guess : {0, 1}) {
      EvaluatorChoice choice;
      spent(choice, 1.0, ratio, 2, guess);
      const double best = std::min(1.0, ratio);
      EXPECT_LE(spent(choice, 1.0, ratio, 200, guess), 1.1 * 200 * best) << ratio << " guessed " << guess;
    }
}

TEST(EvaluatorChoiceTest, AHopelessSecondCandidateCostsLittle) {
  EvaluatorChoice choice;
  EXPECT_LE(spent(choice, 1.0, 1e9, 20, 0), 20 + 2.5 + 1e-9);
}

TEST(EvaluatorChoiceTest, FollowsAChange) {
  EvaluatorChoice choice;
  spent(choice, 1.0, 1.5, 60, 0);
  EXPECT_LE(spent(choice, 3.0, 1.5, 200, 0), 1.5 * 200 * 1.3);
}

TEST(EvaluatorChoiceTest, ForgetsAMeasurementThatWasDisturbed) {
  for (const double disturbed : {100.0, std::numeric_limits<double>::infinity()}) {
    EvaluatorChoice choice;
    choice.learn(here, 0, disturbed);  // takes 1 else
    choice.learn(here, 1, 10.0);
    EXPECT_LE(spent(choice, 1.0, 10.0, 100, 0), 45 * 10.0 + 55);
    EXPECT_LE(spent(choice, 1.0, 10.0, 1000, 0), 1000 + 5 * 1.0);
  }
}

/// Two separate chains of n/2 oscillators each, one with springs k = 100, the other with `stiff`.
LinearOscillator chains(int n, double stiff) {
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    const double k = i < n / 2 ? 100 : stiff;
    K(i, i) = 2 * k;
    if (i + 1 < n && i + 1 != n / 2) K(i, i + 1) = K(i + 1, i) = -k;
  }
  return {Eigen::MatrixXd::Identity(n, n), K, Eigen::MatrixXd::Zero(n, n)};
}

TEST(AutoEvaluatorTest, NamesItsChoiceAndSwitchesWithStiffness) {
  constexpr std::size_t n = 200;
  for (const double stiff : {1e2, 1e9}) {
    const LinearOscillator system = chains(n, stiff);
    std::vector<double> x(n), v(n);
    for (std::size_t i = 0; i < n; ++i)
      v[i] = (i < n / 2 ? 1 : 1e-6) * std::sin(0.1 * static_cast<double>(i + 1));
    const State state(0.0, x, v);
    Tangent tangent;
    system.tangent(0, state.x(), state.v(), tangent);
    const OscillatorJacobian jacobian(system.mass(), tangent, 1.0, system.counters());
    const ConstVectorView b[] = {{}, state.y};
    const double node = 1;
    AutoEvaluator evaluator([&] {  // by work, not by what else the machine does
      const Counters& c = system.counters();
      return 1e-6 * static_cast<double>(c.product + 20 * c.solve + 100 * c.factorization);
    });
    PhiResult result;
    for (int i = 0; i < 4; ++i) result = evaluator.evaluate({jacobian, 0.5, b, {&node, 1}, {1e-3, 0}});
    EXPECT_EQ(result.report.evaluator == "rational", stiff > 1e5) << stiff << " " << result.report.evaluator;
  }
}

TEST(AutoEvaluatorTest, TinySystemsAreExponentiatedWhole) {
  const LinearOscillator system = chains(10, 1e4);
  const State state(0.0, std::vector<double>(10, 1.0), std::vector<double>(10, 0.0));
  Tangent tangent;
  system.tangent(0, state.x(), state.v(), tangent);
  const OscillatorJacobian jacobian(system.mass(), tangent, 1.0, system.counters());
  const ConstVectorView b[] = {state.y};
  const double node = 1;
  AutoEvaluator evaluator;
  EXPECT_EQ(evaluator.evaluate({jacobian, 0.1, b, {&node, 1}, {1e-8, 0}}).report.evaluator, "dense");
}

}  // namespace
}  // namespace stiffly
