// What methods do to y' = λy, from their own steps.
#include <gtest/gtest.h>

#include <complex>
#include <Eigen/Dense>

#include "integrators/problems.hpp"
#include "integrators/stability_function.hpp"
#include "stiffly/integrators/dirk.hpp"
#include "stiffly/integrators/rosenbrock.hpp"
#include "stiffly/study/amplification.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly::test {

using namespace study;
namespace {

using Complex = std::complex<double>;

/// Points with Im > 0 in the left half plane, and some on the right, where all methods here are defined.
std::vector<Complex> fifty_points() {
  std::vector<Complex> points;
  for (int i = 0; i < 50; ++i) {
    const double radius = std::pow(10.0, -1.5 + 3.0 * i / 49),
                 angle = std::numbers::pi * (0.5 + 0.49 * std::sin(1.7 * i + 1));
    points.push_back(std::polar(radius, std::max(0.51 * std::numbers::pi, angle)));
  }
  return points;
}

TEST(StabilityTest, StabilityFunctionsAreThoseOfTheTables) {
  int compared = 0;
  for (const IntegratorInfo& info : integrators()) {
    const auto analytic = stability_function(info.name);
    if (!analytic) continue;
    ++compared;
    for (const Complex z : fifty_points()) {
      const Amplification measured = amplification(info, z);
      const Complex expected = analytic(z);
      // Eigenvalues R(z), R(z̄) by their sum and product.
      const double scale = std::max(1.0, std::abs(expected));
      EXPECT_NEAR(measured.trace(), 2 * expected.real(), 1e-8 * scale) << info.name << " z = " << z;
      EXPECT_NEAR(measured.determinant(), std::norm(expected), 1e-8 * scale * scale)
          << info.name << " z = " << z;
    }
  }
  EXPECT_GE(compared, 34);
}

TEST(StabilityTest, AStableMethodsStayBounded) {
  for (const IntegratorInfo& info : integrators()) {
    if (!info.a_stable) continue;
    for (int decade = -2; decade <= 8; ++decade)
      for (const double angle : {0.501, 0.6, 0.75, 0.9, 0.999}) {
        const Complex z = std::polar(std::pow(10.0, decade), angle * std::numbers::pi);
        EXPECT_LE(amplification(info, z).spectral_radius(), 1 + 1e-7) << info.name << " z = " << z;
      }
  }
}

TEST(StabilityTest, LStableMethodsDampToZero) {
  for (const IntegratorInfo& info : integrators())
    if (info.l_stable) {
      EXPECT_LE(amplification(info, std::polar(1e6, 0.9 * std::numbers::pi)).spectral_radius(),
                info.family == "BDF" ? 2e-3 : 1e-5)
          << info.name;
    }
}

/// Change of the energy per step and relative to H, between the means of the first and the second half of the
/// run. Smooth windows (Hann) for the means: the energy of symplectic methods wobbles, and where a run begins
/// and ends must not look like a drift.
double energy_slope(const SecondOrderSystem& system, Integrator& method, State state, double h, int steps) {
  method.start(system, state);
  const double H = system.energy(state);
  double mean[2] = {0, 0};
  const int half = steps / 2;
  for (int i = 0; i < 2 * half; ++i) {
    step_to((i + 1) * h, method, state, h, i % 97 == 3);
    const double weight = (1 - std::cos(2 * std::numbers::pi * (i % half) / half)) / half;
    mean[i / half] += weight * (system.energy(state) - H) / H;
  }
  return (mean[1] - mean[0]) / half;
}

TEST(StabilityTest, SymplecticMethodsHaveNoEnergyDrift) {
  const TestEquation equation = wave();
  for (const IntegratorInfo& info : integrators()) {
    if (!info.symplectic) continue;
    const auto method = info.make({.newton_tolerance = 1e-14});
    const double slope = energy_slope(*equation.system, *method, equation.start, 0.11, 100'001);
    std::printf("%-18s %.1e of H per step\n", info.name.c_str(), slope);
    EXPECT_LT(std::abs(slope), 1e-12) << info.name;
  }
}

// |R(iy)|² = 1/(1 + y²): what backward Euler takes of the energy in every step.
TEST(StabilityTest, BackwardEulerDissipatesByItsFormula) {
  const TestEquation equation = wave();
  const auto method = make_integrator("backward-euler", {.newton_tolerance = 1e-14});
  const double h = 0.01;
  State state = equation.start;
  method->start(*equation.system, state);
  const double H = equation.system->energy(state);
  for (int i = 0; i < 1000; ++i) state = method->step(state, h, false).state;
  const double left = equation.system->energy(state) / H;
  std::printf("backward Euler keeps %.6f of the energy over 10 s at h = 0.01\n", left);
  EXPECT_NEAR(left, std::pow(1 + 5 * h * h, -1000), 1e-9);
}

}  // namespace
}  // namespace stiffly::test
