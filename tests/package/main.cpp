// A user's program: one exponential Rosenbrock step of a stiff oscillator with the installed library, and how
// the method amplifies an undamped oscillation.
#include <cmath>
#include <cstdio>
#include <stiffly/integrators/registry.hpp>
#include <stiffly/study/amplification.hpp>
#include <stiffly/system/linear_oscillator.hpp>
#include <stiffly/text.hpp>
#include <stiffly/version.hpp>

int main() {
  stiffly::TestEquation wave = stiffly::wave();
  const auto method = stiffly::make_integrator("exprb42");
  method->start(*wave.system, wave.start);
  const stiffly::Step step = method->step(wave.start, 0.5, false);
  const double error = std::abs(stiffly::host(step.state.y)[0] - wave.exact(0.5)(0));
  std::printf("stiffly %s, error of a step: %.1e\n", stiffly::version.data(), error);
  const stiffly::IntegratorInfo& info =
      stiffly::find_by_name(stiffly::integrators(), "exprb42", "integrator");
  const double growth = stiffly::study::amplification(info, {0, 3}).spectral_radius();
  return error < 1e-6 && std::abs(growth - 1) < 1e-6 ? 0 : 1;
}
