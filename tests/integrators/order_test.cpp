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

/// Every registered method runs down its ladder of steps; the slope must be the order it claims within 0.15. The reference
/// is RK4 at a step far below all others, its own error known from a run at twice the step.
void expect_orders(const SecondOrderSystem& system, const State& start, double duration, double reference_step,
                   const std::function<Ladder(const IntegratorTraits&)>& ladder) {
  const auto rk4 = make_integrator("rk4");
  const auto coarse = trajectory(system, *rk4, start, duration, moments, 2 * reference_step);
  const auto exact = trajectory(system, *rk4, start, duration, moments, reference_step);
  // Round-off over some thousand steps is near 1e-13; ten times that still shows the slope.
  const double floor = std::max(20 * distance(coarse, exact) / 15, 1e-12);
  for (const IntegratorInfo& info : integrators()) {
    const auto [first, halvings] = ladder(info);
    std::vector<double> steps, errors;
    std::printf("%-14s order %d:", info.name.c_str(), info.order);
    double h = first;
    for (int i = 0; i <= halvings; ++i, h /= 2) {
      const auto method = info.make({.evaluator = "dense", .phi_tolerance = 1e-12});
      steps.push_back(h);
      errors.push_back(distance(trajectory(system, *method, start, duration, moments, h), exact));
      std::printf(" %.2e", errors.back());
    }
    const double measured = slope(steps, errors, floor);
    std::printf("  slope %.2f\n", measured);
    EXPECT_NEAR(measured, info.order, 0.15) << info.name;
  }
}

// The paper's steps, 0.02 … 0.00125, that is hω = 2 … 0.125. Methods that do not resolve hω ≈ 1 by construction (explicit
// ones are not even stable; Gautschi's velocities are asymptotic only for small hω) get steps 40 times smaller, as the paper
// gives RK4.
TEST(OrderTest, Fput) {
  const Fput system(3, 100);
  expect_orders(system, system.initial_state(), 1.0, 1e-5, [](const IntegratorTraits& traits) -> Ladder {
    const bool resolves = traits.family == "exponential Rosenbrock" || traits.family == "exponential Runge–Kutta";
    return {resolves ? 0.02 : 0.02 / 40, 4};
  });
}

Ladder chain_ladder(const IntegratorTraits&) { return {0.025, 3}; }

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
