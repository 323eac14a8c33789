// How many products or solves an evaluation takes, on the coil.
#include <fmt/format.h>

#include "bench.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/scene/coil.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly::bench {
namespace {

bool run() {
  bool met = true;
  fmt::print("{:<18} {:>9} {:>9} {:>8} {:>9} {:>9} {:>8}\n", "evaluator", "hρ", "tolerance", "products",
             "per hρ", "bound", "");
  for (const double stretch : {0.0, 0.001}) {
    // Once at rest, once deformed and in motion: compressed springs make the tangent indefinite.
    const auto system = make_coil_system();
    State state = system->initial_state();
    if (stretch > 0) {
      const auto x = host(state.x());
      for (std::size_t i = 0; i < x.size(); i += 3) {
        host(state.v())[i + 2] = 0.5 * x[i + 2];
        host(state.x())[i + 2] = x[i + 2] * (1 - stretch);
      }
    }
    Tangent tangent;
    system->tangent(0, state.x(), state.v(), tangent);
    fmt::print("{}\n", stretch == 0 ? "at rest" : "compressed by 0.1 %, moving");
    for (const double h : {0.005, 0.05}) {
      OscillatorJacobian jacobian(system->mass(), tangent, 0.25 / h, system->counters());
      if (stretch > 0) jacobian.cover_negative_stiffness(4 / h);
      const double hrho = h * *jacobian.spectral_bound();
      Vector rate(2 * system->unknowns());
      system->rate(state, rate);
      scale(h, rate);
      const ConstVectorView b[] = {{}, rate};
      const double node = 1;
      for (const EvaluatorInfo& info : evaluators()) {
        if (info.family != "polynomial") continue;
        for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
          // Full orthogonalisation takes half a minute a call there: once is enough.
          if (info.name == "phipm" && h > 0.01 && tolerance != 1e-4) continue;
          const auto evaluator = info.make();
          try {
            // The first call of an evaluator that knows nothing yet.
            const int products =
                evaluator->evaluate({jacobian, h, b, {&node, 1}, {tolerance, 0}}).report.products;
            const double bound = 1.3 * hrho + 40;
            // A Taylor series of degree m covers a radius of m/e at best: no choice of degree gets it below e
            // products per hρ.
            const bool series = info.name == "taylor";
            met = met && (series || products <= bound);
            fmt::print("{:<18} {:>9.0f} {:>9.0e} {:>8} {:>9.2f} {:>9.0f} {:>8}\n", info.name, hrho, tolerance,
                       products, products / hrho, bound,
                       series && products > bound ? "missed, as any Taylor series must"
                                                  : verdict(products <= bound));
          } catch (const Error& error) {
            fmt::print("{:<18} {:>9.0f} {:>9.0e} refused: {}\n", info.name, hrho, tolerance, error.what());
            met = met && info.name == "chebyshev" && stretch > 0;  // it is for conservative systems
          }
          std::fflush(stdout);
        }
      }
    }
  }
  return met;
}

}  // namespace

Section cost_laws() {
  return {"cost", "products per call of the polynomial evaluators against 1.3 hρ + 40, full coil", run};
}

}  // namespace stiffly::bench
