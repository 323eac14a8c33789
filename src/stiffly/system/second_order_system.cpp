#include "stiffly/system/second_order_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/effort.hpp"
#include "stiffly/system/mixed_force.hpp"

namespace stiffly {

State::State(double t, std::span<const double> x, std::span<const double> v)
    : time(t), y(x.size() + v.size()) {
  const Backend& backend = y.backend();
  backend.upload(x, y.data());
  backend.upload(v, y.data() + x.size());
}

void SecondOrderSystem::force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const {
  add_effort(force_effort());
  counters_.look(++counters_.force);
  do_force(t, x, v, f);
}

void SecondOrderSystem::tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const {
  ++counters_.tangent;
  add_effort(effort::tangent * force_effort());
  counters_.look();
  do_tangent(t, x, v, out);
}

void SecondOrderSystem::force_rate(double t, ConstVectorView x, ConstVectorView v, VectorView out) const {
  do_force_rate(t, x, v, out);
}

void SecondOrderSystem::rate(const State& state, VectorView out) const {
  const std::size_t n = unknowns();
  copy(state.v(), out.part(0, n));
  const VectorView acceleration = out.part(n, n);
  force(state.time, state.x(), state.v(), acceleration);
  mass().solve(acceleration, acceleration);
}

Vector SecondOrderSystem::time_rate(const State& state) const {
  if (autonomous()) return {};
  const std::size_t n = state.unknowns();
  Vector out(2 * n, state.y.backend());
  const VectorView acceleration = out.part(n, n);
  force_rate(state.time, state.x(), state.v(), acceleration);
  mass().solve(acceleration, acceleration);
  return out;
}

double SecondOrderSystem::kinetic_energy(ConstVectorView v) const {
  Vector momentum(v.size(), v.backend());
  mass().apply(v, momentum);
  return 0.5 * dot(v, momentum);
}

double SecondOrderSystem::energy(const State& state) const {
  return kinetic_energy(state.v()) + potential_energy(state.time, state.x());
}

void SecondOrderSystem::linear_part(const State& start, Tangent& out) const {
  tangent(start.time, start.x(), start.v(), out);
}

std::unique_ptr<MixedForce> SecondOrderSystem::mixed_force() const {
  return std::make_unique<MixedForce>(*this);
}

std::optional<Touch> SecondOrderSystem::touch(const State&) const { return std::nullopt; }

double SecondOrderSystem::longest_step(const State&, double h) const { return h; }

double SecondOrderSystem::force_effort() const {
  return effort::call + effort::pair * static_cast<double>(unknowns());
}

std::string SecondOrderSystem::describe(std::size_t unknown) const {
  return fmt::format("unknown {}", unknown);
}

void SecondOrderSystem::do_force_rate(double t, ConstVectorView x, ConstVectorView v, VectorView out) const {
  // ∂f/∂t ≈ (f(t+δ) − f(t−δ))/2δ
  const double delta = time_difference(t);
  Vector before(x.size(), x.backend());
  force(t - delta, x, v, before);
  force(t + delta, x, v, out);
  axpby(-0.5 / delta, before, 0.5 / delta, out);
}

double SecondOrderSystem::time_difference(double t) {
  return std::cbrt(2.2e-16) * std::max(1.0, std::abs(t));
}

double SecondOrderSystem::field_energy(double, ConstVectorView) const { return 0; }

// Without supports and dissipation, d/dt(T + V) = ∂V/∂t.
EnergyFlow SecondOrderSystem::energy_flow(const State& state) const {
  if (autonomous()) return {};
  const double delta = time_difference(state.time);
  return {.fields = (potential_energy(state.time + delta, state.x()) -
                     potential_energy(state.time - delta, state.x())) /
                    (2 * delta)};
}

SimulationError not_positive_definite(const SecondOrderSystem& system, const NotPositiveDefinite& error) {
  return SimulationError(fmt::format(
      "the implicit system is not positive definite at {}: take a smaller step",
      error.row() < 0 ? "an unknown place" : system.describe(static_cast<std::size_t>(error.row()))));
}

}  // namespace stiffly
