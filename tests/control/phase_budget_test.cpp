// Errors that add up where nothing damps them, and energy that books explain.
#include "stiffly/control/phase_budget.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/control/methods.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly::test {
namespace {

const IntegratorTraits& traits_by_name(const char* name) {
  static std::vector<std::unique_ptr<Integrator>> kept;
  kept.push_back(make_integrator(name));
  return kept.back()->traits();
}

TEST(PhaseBudgetTest, IsForMethodsThatKeepWhatTheyErrBy) {
  const TestEquation free = wave(), damped = damped_spring();
  const auto share = [](const TestEquation& equation, const char* method) {
    return PhaseBudget(*equation.system, traits_by_name(method), 7, 1e-3).share(1e-3, 0.7);
  };
  for (const char* method : {"newmark", "energy-momentum", "generalized-alpha"})
    EXPECT_NEAR(share(free, method), 1, 1e-12) << method << ": ten tolerances over ten such steps";
  EXPECT_EQ(share(free, "tr-bdf2"), 0) << "its energy tells";
  EXPECT_EQ(share(free, "dopri5"), 0) << "its result is better than its estimate says";
  EXPECT_EQ(share(damped, "newmark"), 0) << "errors are damped, too";
}

/// After dozens of periods every second-order method that keeps energy is late by what its steps add up to:
/// a hundred times the tolerance, were each judged by itself.
TEST(PhaseBudgetTest, AnOscillatorIsInPhaseAfterManyPeriods) {
  const double omega = 3.7, end = 237 / omega;
  const auto one = [](double value) { return Eigen::MatrixXd::Constant(1, 1, value); };
  const LinearOscillator system(one(1), one(omega * omega), one(0));
  const double x0 = 0.83, v0 = 0;
  const State start(0, std::span(&x0, 1), std::span(&v0, 1));
  for (const char* method : {"newmark", "generalized-alpha"})
    for (const double tolerance : {1e-2, 1e-3}) {
      const SimulationOptions options{.duration = end, .tolerance = tolerance};
      const auto stepper = make_stepper(method, system, start, options.plan());
      const SimulationSummary summary = simulate(*stepper, start, options);
      const double error = std::abs(to_host(stepper->state().x())[0] - x0 * std::cos(omega * end)) / (2 * x0);
      std::printf("%s %.0e: %.2g of the tolerance, %ld steps\n", method, tolerance, error / tolerance,
                  summary.steps);
      EXPECT_LT(error, 10 * tolerance) << method;
    }
}

}  // namespace
}  // namespace stiffly::test
