// The clock that counts work (effort.hpp) against the time of the processor, for every method that is chosen
// from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench.hpp"
#include "stiffly/control/automatic_stepper.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/effort.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly::bench {
namespace {

struct Costs {
  double counted = 0, processor = 0;  ///< s
};

/// Steps until half a second is over, or the run; the least time of three such runs.
Costs costs_of(const Scene& scene, const std::string& method, double tolerance) {
  Costs best;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const StepPlan plan{.duration = scene.simulation.duration, .tolerance = tolerance};
    const State start = scene.body.start;
    ControlledStepper stepper(scene.system(), make_integrator(method, plan, scene.simulation.options), start,
                              plan);
    stepper.advance();  // memory, symbolic analysis
    const double counted = effort_seconds(), processor = processor_seconds();
    for (int steps = 0; !stepper.done() && steps < 2000 && processor_seconds() < processor + 0.5; ++steps)
      stepper.advance();
    const Costs costs{effort_seconds() - counted, processor_seconds() - processor};
    if (repeat == 0 || costs.processor / costs.counted < best.processor / best.counted) best = costs;
  }
  return best;
}

bool run() {
  constexpr double tolerance = 1e-3, bound = 3;
  std::vector<double> ratios;
  fmt::print("{:<10} {:<17} | {:>10} {:>10} | {:>6}\n", "scene", "method", "counted s", "clock s", "ratio");
  for (const char* name : {"chain", "bunny", "coil", "tower", "flag", "dragon", "fput"}) {
    const Scene scene = load_scene(find_scene(name));
    for (const std::string& method : usual_candidates(true)) try {
        const Costs costs = costs_of(scene, method, tolerance);
        if (!(costs.processor > 1e-4)) continue;
        ratios.push_back(costs.processor / costs.counted);
        fmt::print("{:<10} {:<17} | {:>10.4f} {:>10.4f} | {:>6.2f}\n", name, method, costs.counted,
                   costs.processor, ratios.back());
        std::fflush(stdout);
      } catch (const Error& error) {
        fmt::print("{:<10} {:<17} | {}\n", name, method, error.what());
      }
  }
  std::ranges::sort(ratios);
  const double median = ratios[ratios.size() / 2];
  const auto inside = std::ranges::count_if(
      ratios, [&](double r) { return r < median * std::sqrt(bound) && r > median / std::sqrt(bound); });
  fmt::print("median {:.2f}; {} of {} within a factor of {} of each other\n", median, inside, ratios.size(),
             bound);
  return 10 * inside >= 9 * static_cast<long>(ratios.size());
}

}  // namespace

Section effort() {
  return {"effort",
          "counted work against the clock of the processor, by method (nine of ten within a factor of 3)",
          run};
}

}  // namespace stiffly::bench
