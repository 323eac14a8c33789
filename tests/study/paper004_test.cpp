// Work-precision on the five equations of paper 004: slopes are the orders, explicit methods only below their
// limits.
#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/study/convergence.hpp"

namespace stiffly::test {

using namespace study;
namespace {

TEST(Paper004Test, SlopesAreTheOrders) {
  const char* methods[] = {
      "forward-euler", "explicit-midpoint", "rk4", "backward-euler", "implicit-midpoint", "bdf2", "verlet"};
  for (const TestEquation& equation : paper_equations())
    for (const char* name : methods) {
      const ErrorCurve curve =
          measure_errors(equation, name, halvings(equation.duration, 4, 15), {.newton_tolerance = 1e-14});
      const double slope = curve.slope();
      std::printf("%-14s %-18s %.3f\n", equation.name.c_str(), name, slope);
      EXPECT_NEAR(slope, curve.order, 0.15) << equation.name << " " << name;
    }
}

// y' = −15y on [0, 1]: forward Euler grows at h > 2/15, backward Euler never.
TEST(Paper004Test, ExplicitMethodsFailAboveTheirLimit) {
  const std::vector<TestEquation> all = paper_equations();
  const double steps[] = {0.25, 0.0625};
  const ErrorCurve forward = measure_errors(all[1], "forward-euler", steps),
                   backward = measure_errors(all[1], "backward-euler", steps);
  EXPECT_TRUE(!std::isfinite(forward.samples[0].error) || forward.samples[0].error > 1);
  EXPECT_LT(forward.samples[1].error, 1e-2);
  EXPECT_LT(backward.samples[0].error, 1e-2);
}

}  // namespace
}  // namespace stiffly::test
