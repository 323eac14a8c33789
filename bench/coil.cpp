// The full coil: time per simulated second.
#include <fmt/format.h>

#include "bench.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/coil.hpp"

namespace stiffly::bench {
namespace {

bool run() {
  const auto system = make_coil_system();
  fmt::print("{} unknowns, k = 1e6 N/m\n", system->unknowns());
  for (const std::string evaluator : {"phipm_simul_iom2", "rational", "auto"})
    for (const double h : {0.05, 0.005}) {
      const auto method = make_integrator("exprb42", {.evaluator = evaluator, .phi_tolerance = 1e-4});
      State state = system->initial_state();
      SimulationSummary so_far;
      const double duration = h == 0.05 ? 1.0 : 0.2;
      try {
        const SimulationSummary summary =
            simulate(*system, *method, state, {duration, h}, [&](const State&, const SimulationSummary& now) {
              so_far = now;
              return true;
            });
        const Counters& work = summary.counters;
        fmt::print(
            "exprb42 {:<17} h = {:<6}: {:8.2f} s per simulated second ({} products, {} solves, {} "
            "factorisations, energy drift {:.1e} J)\n",
            evaluator, h, summary.wall_seconds / duration, work.product, work.solve, work.factorization,
            summary.max_energy_drift);
      } catch (const Error& error) {
        if (so_far.steps > 0)
          fmt::print("exprb42 {:<17} h = {:<6}: {:8.2f} s per simulated second, until it failed: {}\n",
                     evaluator, h, so_far.wall_seconds / so_far.simulated_seconds, error.what());
        else
          fmt::print("exprb42 {:<17} h = {:<6}: failed at once: {}\n", evaluator, h, error.what());
      }
      std::fflush(stdout);
    }
  return true;
}

}  // namespace

Section coil() { return {"coil", "exprb42 on the full coil, phi tolerance 1e-4", run}; }

}  // namespace stiffly::bench
