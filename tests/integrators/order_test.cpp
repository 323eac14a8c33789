// Measured orders of every registered integrator.
#include <gtest/gtest.h>

#include <cstdio>

#include "integrators/problems.hpp"
#include "stiffly/system/fput.hpp"

namespace stiffly::test {
namespace {

constexpr int moments = 5;

/// Steps h, h/2, … for one method.
struct Ladder {
  double first;
  int halvings;
};

/// Order on linear oscillations, where it is another. The two methods of Franco et al. are made for those: it
/// is their dispersion order, and the third order that they have in general shows only where the nonlinearity
/// is strong and the step small. A fixed Jacobian costs an order only where the true one changes.
int linear_order(const IntegratorTraits& traits) {
  if (traits.name == "sdirk3345" || traits.name == "sdirk4347") return 4;
  return traits.name == "ros3pl-w" ? 3 : traits.order;
}

/// Every registered method runs down its ladder of steps; the slope must be the order it claims within 0.15.
/// The reference is RK4 at a step far below all others, its own error known from a run at twice the step.
void expect_orders(const SecondOrderSystem& system, const State& start, double duration,
                   double reference_step, const std::function<Ladder(const IntegratorTraits&)>& ladder,
                   bool nearly_linear = false) {
  const auto rk4 = make_integrator("rk4");
  const auto coarse = trajectory(system, *rk4, start, duration, moments, 2 * reference_step);
  const auto exact = trajectory(system, *rk4, start, duration, moments, reference_step);
  // Round-off over some thousand steps is near 1e-13; ten times that still shows the slope.
  const double floor = std::max(20 * distance(coarse, exact) / 15, 1e-12);
  for (const IntegratorInfo& info : integrators()) {
    const auto [first, halvings] = ladder(info);
    std::vector<double> steps, errors;
    std::printf("%-14s order %d:", info.name.c_str(), info.order);
    double h = uneven_step(duration / moments, first);
    for (int i = 0; i <= halvings; ++i, h /= 2) {
      const auto method =
          info.make({.evaluator = "dense", .phi_tolerance = 1e-12, .newton_tolerance = 1e-13});
      steps.push_back(h);
      errors.push_back(distance(trajectory(system, *method, start, duration, moments, h), exact));
      std::printf(" %.2e", errors.back());
    }
    const double measured = slope(steps, errors, floor);
    std::printf("  slope %.2f\n", measured);
    EXPECT_NEAR(measured, nearly_linear ? linear_order(info) : info.order, 0.15) << info.name;
  }
}

// The paper's steps, 0.02 … 0.00125, that is hω = 2 … 0.125. Methods that do not resolve hω ≈ 1 by
// construction (explicit ones are not even stable; Gautschi's velocities are asymptotic only for small hω)
// get steps 40 times smaller, as the paper gives RK4.
TEST(OrderTest, Fput) {
  const Fput system(3, 100);
  expect_orders(
      system, system.initial_state(), 1.0, 1e-5,
      [](const IntegratorTraits& traits) -> Ladder {
        const bool resolves =
            traits.family == "exponential Rosenbrock" || traits.family == "exponential Runge–Kutta";
        if (traits.order == 1 && !resolves) return {0.02 / 640, 1};
        // Round-off of these formulas is near 1e-11 after 32 000 steps: their slopes show before.
        if (traits.multistep && traits.order >= 5) return {0.02 / 40, 8 - traits.order};
        return {resolves ? 0.02 : 0.02 / 40, 4};
      },
      true);
}

// Where the first step is not yet small: methods of first order, and those whose leading error has a small
// constant (a fixed Jacobian, oscillations).
Ladder chain_ladder(const IntegratorTraits& traits) {
  if (traits.order == 1) return {0.025 / 32, 2};
  if (linear_order(traits) != traits.order) return {0.025 / 16, 3};
  if (traits.name == "bdf6") return {0.0125, 3};
  return {0.025, 3};
}

TEST(OrderTest, DrivenDampedChain) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  expect_orders(system, system.initial_state(), 4.0, 2e-5, chain_ladder);
}

TEST(OrderTest, ConsistentMass) {
  const DrivenChain system(DrivenChain::Mass::consistent);
  expect_orders(system, system.initial_state(), 4.0, 2e-5, chain_ladder);
}

}  // namespace
}  // namespace stiffly::test
