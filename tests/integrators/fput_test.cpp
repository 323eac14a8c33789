// The experiments of paper 002 §5.1 over its full time span.
#include <gtest/gtest.h>

#include <cstdio>

#include "integrators/problems.hpp"
#include "stiffly/system/fput.hpp"

namespace stiffly::test {
namespace {

const IntegratorOptions exact_phi{
    .evaluator = "dense", .phi_tolerance = 1e-12, .reformulation = Reformulation::square_root_free};

struct Run {
  State end;
  double drift;  ///< max |H − H_0|
};

Run fput_run(const std::string& name, double h, double duration = 100) {
  const Fput system(3, 100);
  const auto method = make_integrator(name, exact_phi);
  const double energy = system.energy(system.initial_state());
  double drift = 0;
  const State end = integrate(system, *method, system.initial_state(), duration, h, [&](const State& state) {
    drift = std::max(drift, std::abs(system.energy(state) - energy));
  });
  return {end, drift};
}

TEST(FputTest, EnergyOfTheStart) {
  const Fput system(3, 100);
  EXPECT_NEAR(system.energy(system.initial_state()), 2.500300005, 4e-15);
}

/// Orders at the end, measured on the finest pair of steps (at the coarser ones the phase error has not
/// reached its asymptotic growth and exprb42 looks better than order 4). The reference is of order 5; RK4,
/// which shares nothing with it, vouches for it.
void expect_orders(double duration) {
  const State exact = fput_run("exprb53s3", 0.00125, duration).end;
  ASSERT_LT(distance(exact, fput_run("rk4", 0.00005, duration).end), 1e-7);
  for (const std::string name : {"exprb2", "exprb42", "pexprb43"}) {
    const int order = name == "exprb2" ? 2 : 4;
    std::vector<double> steps, errors;
    for (double h = uneven_step(duration, 0.02); h > (order == 4 ? 0.0006 : 0.001); h /= 2) {
      steps.push_back(h);
      errors.push_back(distance(fput_run(name, h, duration).end, exact));
      std::printf(
          "%s h = %g error %.3e%s\n", name.c_str(), h, errors.back(),
          errors.size() < 2
              ? ""
              : (" slope " + std::to_string(std::log2(errors[errors.size() - 2] / errors.back()))).c_str());
    }
    EXPECT_NEAR(slope(steps, errors, 0), order, 0.15) << name;
  }
}

TEST(FputTest, OrdersAtTheEnd) { expect_orders(13.7); }

// Fig. 1: at T = 100.
TEST(FputTest, OrdersAtTheEndOfTheLongRun) { expect_orders(100); }

// Fig. 3 and 4: conservation of energy over [0, 100].
TEST(FputTest, EnergyConservation) {
  const double second_order = fput_run("exprb2", 0.01).drift;
  const double rk4 = fput_run("rk4", 0.00025).drift;
  for (const std::string name : {"exprb42", "pexprb43"}) {
    const double drift = fput_run(name, 0.01).drift;
    RecordProperty(name, testing::PrintToString(drift));
    EXPECT_LT(drift, second_order) << name;
    // "About the same quality": within a factor of three either way, or better.
    EXPECT_LT(drift, 3 * rk4) << name;
  }
}

}  // namespace
}  // namespace stiffly::test
