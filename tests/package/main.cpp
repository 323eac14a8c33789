// A user's program: one exponential Rosenbrock step of a stiff oscillator with the installed library.
#include <cmath>
#include <cstdio>
#include <stiffly/integrators/registry.hpp>
#include <stiffly/system/linear_oscillator.hpp>
#include <stiffly/version.hpp>

int main() {
  stiffly::TestEquation wave = stiffly::wave();
  const auto method = stiffly::make_integrator("exprb42");
  method->start(*wave.system, wave.start);
  const stiffly::Step step = method->step(wave.start, 0.5, false);
  const double error = std::abs(stiffly::host(step.state.y)[0] - wave.exact(0.5)(0));
  std::printf("stiffly %s, error of a step: %.1e\n", stiffly::version.data(), error);
  return error < 1e-6 ? 0 : 1;
}
