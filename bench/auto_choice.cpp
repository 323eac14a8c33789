// `auto` against the better of the evaluators it chooses from.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "bench.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/scene/coil.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly::bench {
namespace {

/// Time of a call, on average over a sequence of them after the first two, as in a simulation: each with an
/// operator of its own.
double sequence(const std::string& name, const OscillatorJacobian& like, double h,
                std::span<const ConstVectorView> b, double tolerance) {
  const auto evaluator = make_evaluator(name);
  const double node = 1;
  const auto call = [&] {
    const OscillatorJacobian jacobian(like);
    evaluator->evaluate({jacobian, h, b, {&node, 1}, {tolerance, 0}});
  };
  try {
    const double first = seconds(call);
    if (first > 8) return first;  // hopeless: a dozen of these would take minutes
    call();
    const int calls = first > 0.3 ? 4 : 12;
    return seconds([&] {
             for (int i = 0; i < calls; ++i) call();
           }) /
           calls;
  } catch (const SimulationError&) {
    return std::numeric_limits<double>::infinity();
  }
}

bool run() {
  bool met = true;
  fmt::print("{:>8} {:>10} {:>9} | {:>12} {:>12} {:>12} | {:>6}\n", "unknowns", "hρ", "tolerance",
             "polynomial", "rational", "auto", "ratio");
  for (const int sections : {40, 421}) {
    CoilParameters parameters;
    parameters.sections = sections;
    parameters.rings = sections < 100 ? 1 : 2;
    parameters.wire_radius = sections < 100 ? 0.03 : 0.015;
    const auto system = make_coil_system(parameters);
    const State state = system->initial_state();
    Tangent tangent;
    system->tangent(0, state.x(), state.v(), tangent);
    for (const double hrho :
         sections < 100 ? std::vector{30.0, 300.0, 3000.0, 30000.0} : std::vector{30.0, 300.0, 3000.0})
      for (const double tolerance : {1e-2, 1e-4, 1e-7}) {
        OscillatorJacobian probe(system->mass(), tangent, 1.0, system->counters());
        const double h = hrho / *probe.spectral_bound();
        const OscillatorJacobian jacobian(system->mass(), tangent, 0.25 / h, system->counters());
        Vector rate(2 * system->unknowns());
        system->rate(state, rate);
        scale(h, rate);
        const ConstVectorView b[] = {{}, rate};
        double polynomial = HUGE_VAL, rational = HUGE_VAL, chosen = HUGE_VAL;
        constexpr double short_call = 0.05;  // s: one look at those says little
        for (int repeat = 0; repeat < 5 && (repeat == 0 || chosen < short_call); ++repeat) {
          polynomial = std::min(polynomial, sequence("phipm_simul_iom2", jacobian, h, b, tolerance));
          rational = std::min(rational, sequence("rational", jacobian, h, b, tolerance));
          chosen = std::min(chosen, sequence("auto", jacobian, h, b, tolerance));
        }
        const double ratio = chosen / std::min(polynomial, rational);
        met = met && ratio <= 1.3;
        fmt::print("{:>8} {:>10.0f} {:>9.0e} | {:>10.4f} s {:>10.4f} s {:>10.4f} s | {:>6.2f} {}\n",
                   system->unknowns(), hrho, tolerance, polynomial, rational, chosen, ratio,
                   verdict(ratio <= 1.3));
        std::fflush(stdout);
      }
  }
  return met;
}

}  // namespace

Section auto_choice() {
  return {"auto",
          "the automatic choice of evaluator against the better of the two (bound 1.3), time per call", run};
}

}  // namespace stiffly::bench
