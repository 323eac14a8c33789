// Time per step over the number of particles.
#include <fmt/format.h>

#include <vector>

#include "bench.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/study/sweep.hpp"

namespace stiffly::bench {

using namespace study;
namespace {

/// At one mass per particle, hρ and with it the number of products hardly depend on the number of particles:
/// what grows is the cost of a product.
bool run() {
  constexpr double step = 0.005, bound = 1.15;
  std::vector<double> unknowns, cost;
  for (const int count : {1000, 4000, 16000, 50000, 133000}) {
    const std::vector<Override> settings = {{"size", "full"},          {"count", fmt::format("{}", count)},
                                            {"particle_mass", "1"},    {"diagonal_stiffness", "1e8"},
                                            {"phi_tolerance", "1e-4"}, {"evaluator", "phipm_simul_iom2"}};
    const Scene scene = load_scene(find_scene("bunny"), settings);
    const auto exprb42 = make_candidate("exprb42", Knob::step, scene.simulation.options);
    const Measurement trial = measure_cost(scene, 4 * step, *exprb42, step, HUGE_VAL);
    unknowns.push_back(static_cast<double>(scene.system().unknowns()));
    cost.push_back(trial.seconds / static_cast<double>(trial.steps));
    fmt::print("{:>8.0f} unknowns {:>8.3f} s per step, {} products\n", unknowns.back(), cost.back(),
               trial.work.product);
    std::fflush(stdout);
  }
  const double slope = fitted_exponent(unknowns, cost);
  fmt::print("time per step grows like N^{:.2f} (bound {}) {}\n", slope, bound, verdict(slope <= bound));
  return slope <= bound;
}

}  // namespace

Section growth() {
  return {"growth", "bunny from 3000 to 400 000 unknowns, exprb42 with a polynomial evaluator", run};
}

}  // namespace stiffly::bench
