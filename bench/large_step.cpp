// One step of 450 000 unknowns, and the memory it takes.
#include <fmt/format.h>
#include <sys/resource.h>

#include "bench.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/coil.hpp"

namespace stiffly::bench {
namespace {

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e9;
}

bool run() {
  CoilParameters parameters;
  parameters.rings = 6;
  parameters.sections = 1330;  // 168 910 particles, a tenth of them held
  const auto system = make_coil_system(parameters);
  const State start = system->initial_state();
  bool met = true;
  for (const std::string evaluator : {"phipm_simul_iom2", "kiops"}) {
    const auto method = make_integrator("exprb42", {.evaluator = evaluator, .phi_tolerance = 1e-4});
    Step step;
    method->start(*system, start);
    const double time = seconds([&] { step = method->step(start, 1e-4, false); });
    const double memory = peak_gigabytes();
    fmt::print(
        "exprb42 with {:<17} {} unknowns: {:.1f} s, {} products, {} solves, peak {:.2f} GB (bound 4 GB) {}\n",
        evaluator, system->unknowns(), time, step.phi.products, step.phi.solves, memory, verdict(memory < 4));
    met = met && memory < 4;
  }
  return met;
}

}  // namespace

Section large_step() {
  return {"large", "a square-root-free exprb42 step with 450 000 unknowns in under 4 GB", run};
}

}  // namespace stiffly::bench
