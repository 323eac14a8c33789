#include "stiffly/integrators/gautschi.hpp"

#include "stiffly/integrators/memory_reader.hpp"

namespace stiffly {

IntegratorTraits Gautschi::traits_of(GautschiFilter filter) {
  IntegratorTraits traits{.name = "gautschi",
                          .family = "Gautschi",
                          .order = 2,
                          .embedded_order = {},
                          .summary = "trigonometric, fixed linear part, no filter",
                          .reference = "Gautschi 1961; Hochbruck & Lubich 1999",
                          .uses_evaluator = true,
                          .own_dense_output = true};
  if (filter == GautschiFilter::sinc) {
    traits.name = "gautschi-sinc";
    traits.summary = "trigonometric, filter sinc(z)";
    traits.reference = "García-Archilla, Sanz-Serna & Skeel 1998";
  } else if (filter == GautschiFilter::hochbruck_lubich) {
    traits.name = "gautschi-hl";
    traits.summary = "trigonometric, filter sinc(z)(1 + ⅓ sin²(z/2))";
    traits.reference = "Hochbruck & Lubich 1999";
  }
  return traits;
}

Gautschi::Gautschi(GautschiFilter filter, const IntegratorOptions& options)
    : filter_(filter), traits_(traits_of(filter)), phi_(options) {}

void Gautschi::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  linearized_at_ = state;
  system.linear_part(state, linear_);
  linear_.damping = {};  // A is undamped: velocities belong to g
  linear_.circulatory = {};
  phi_.start(system, linear_);
}

IntegratorMemory Gautschi::save() {
  return {.numbers = {linearized_at_.time, phi_.save()}, .vectors = {linearized_at_.y}};
}

void Gautschi::restore(const IntegratorMemory& memory) {
  MemoryReader reader(memory, *system_);
  const State linearized_at = reader.state();
  start(*system_, linearized_at);
  phi_.restore(reader);
  reader.finish();
}

Vector Gautschi::filtered(Functions& phi, ConstVectorView x) {
  const std::size_t n = x.size();
  Vector out(x);
  if (filter_ == GautschiFilter::none) return out;
  // sinc(hΩ)x is the velocity part of φ_1(h𝒜)(0, x)
  Vector padded(2 * n, x.backend());
  copy(x, padded.part(n, n));
  PhiCombination b(2 * n);
  b.add(1, 1.0, padded);
  const Vector sinc = phi(b);
  copy(sinc.part(n, n), out);
  if (filter_ == GautschiFilter::sinc) return out;
  // ⅓sin²(z/2) = (1 − cos z)/6, and cos(hΩ)s − s is the velocity part of hφ_1(h𝒜)𝒜(0, s)
  fill(0.0, padded.part(0, n));
  copy(out, padded.part(n, n));
  Vector moved(2 * n, x.backend());
  phi.linear.apply(padded, moved);
  PhiCombination change(2 * n);
  change.add(1, phi.h, moved);
  const Vector cosine = phi(change);
  axpy(-1.0 / 6, cosine.part(n, n), out);
  return out;
}

Vector Gautschi::nonlinearity(Functions& phi, double t, ConstVectorView x, ConstVectorView v) {
  const std::size_t n = x.size();
  const Vector filtered_x = filtered(phi, x);
  Vector g(n, x.backend()), K0x(n, x.backend());
  system_->force(t, filtered_x, v, g);
  linear_.stiffness.apply(filtered_x, K0x);
  axpy(1.0, K0x, g);
  system_->mass().solve(g, g);
  return g;
}

PhiCombination Gautschi::flow(Functions& phi, const State& from, const Vector& g) {
  const std::size_t n = from.unknowns();
  Vector rate(2 * n, from.y.backend());
  phi.linear.apply(from.y, rate);
  axpy(1.0, g, rate.part(n, n));
  PhiCombination b(2 * n);
  b.add(1, phi.h, rate);
  return b;
}

PhiCombination Gautschi::correction(Functions& phi, const State& predicted, const Vector& g) {
  const std::size_t n = predicted.unknowns();
  Vector change(2 * n, predicted.y.backend());
  copy(nonlinearity(phi, predicted.time, predicted.x(), predicted.v()), change.part(n, n));
  axpy(-1.0, g, change.part(n, n));
  PhiCombination b(2 * n);
  b.add(2, phi.h, change);
  return b;
}

Step Gautschi::step(const State& from, double h, bool) {
  const std::size_t n = from.unknowns();
  Functions phi{phi_, phi_.jacobian(*system_, linear_, h), h};
  Step result{State(from.time + h, from.y), {}, {}};
  const Vector g = nonlinearity(phi, from.time, from.x(), from.v());
  axpy(1.0, phi(flow(phi, from, g)), result.state.y);
  const Vector w = phi(correction(phi, result.state, g));
  axpy(1.0, w.part(n, n), result.state.v());
  result.phi = std::move(phi.report);
  return result;
}

std::vector<State> Gautschi::within(const State& from, const State& to, std::span<const double> times) {
  const std::size_t n = from.unknowns();
  const double h = to.time - from.time;
  PhiSolver apart = phi_.apart();
  Functions phi{apart, phi_.jacobian(*system_, linear_, h), h};
  std::vector<double> nodes = fractions(from, h, times);
  const Vector g = nonlinearity(phi, from.time, from.x(), from.v());
  const PhiCombination b = flow(phi, from, g);
  std::vector<State> out = from_increments(from, times, phi(b, nodes));
  State predicted(to.time, phi(b));
  axpy(1.0, from.y, predicted.y);
  const std::vector<Vector> corrections = phi(correction(phi, predicted, g), nodes);
  for (std::size_t i = 0; i < out.size(); ++i) axpy(1.0, corrections[i].part(n, n), out[i].v());
  return out;
}

}  // namespace stiffly
