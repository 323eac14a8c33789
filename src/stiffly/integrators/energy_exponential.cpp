#include "stiffly/integrators/energy_exponential.hpp"

namespace stiffly {

IntegratorTraits EnergyExponential::info() {
  IntegratorTraits traits = EnergyMomentum::conserving().traits;
  traits.name = "energy-exponential";
  traits.embedded_order = {};  // third differences say nothing about vibrations that are exact
  traits.summary = "energy-momentum with linear vibrations exact, up to `largest_angle` a step";
  traits.reference = "Cieśliński 2013";
  traits.follows_vibrations = true;
  traits.keeps_factor = false;
  return traits;
}

EnergyExponential::EnergyExponential(const IntegratorOptions& options)
    : traits_(info()),
      tolerance_(options.newton_tolerance),
      iteration_(options, options.largest_angle),
      plain_(EnergyMomentum::conserving().traits, {}, options) {}

void EnergyExponential::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  iteration_.start(system, state.y.backend());
  plain_.start(system, state);
  last_ = state;
}

// With z: x⁺ = x + hv + h²z/2, mean velocity v + hz/2.
std::optional<State> EnergyExponential::follow(const State& from, double h) {
  Stage stage{.t = from.time + h, .p = Vector(from.x()), .q = Vector(from.v()), .b = h * h / 2, .c = h / 2};
  axpy(h, from.v(), stage.p);
  std::vector<double> start_strain;
  iteration_.measure(from.time, from.x(), from.v(), start_strain);
  const ForcePath path{.start_time = from.time, .start_x = from.x(), .start_strain = start_strain};
  Vector z(from.unknowns(), from.y.backend());
  std::vector<double> strain = start_strain;
  if (!iteration_.solve_following(stage, path, tolerance_, z, strain)) return {};
  State to(stage.t, from.y);
  stage.place(z, to.x(), to.v());
  axpy(h / 2, z, to.v());
  iteration_.finish(from.v(), z, to.v());
  return to;
}

Step EnergyExponential::step(const State& from, double h, bool) {
  last_ = from;
  if (std::optional<State> to = follow(from, h)) return {std::move(*to), {}, {}};
  ++plain_steps_;
  return plain_.step(from, h, false);
}

IntegratorMemory EnergyExponential::save() {
  plain_.start(*system_, last_);
  return {};
}

}  // namespace stiffly
