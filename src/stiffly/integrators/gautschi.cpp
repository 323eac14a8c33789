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
                          .uses_evaluator = true};
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

Vector Gautschi::filtered(OscillatorJacobian& linear, ConstVectorView x, double h, PhiReport& report) {
  const std::size_t n = x.size();
  Vector out(x);
  if (filter_ == GautschiFilter::none) return out;
  // sinc(hΩ)x is the velocity part of φ_1(h𝒜)(0, x)
  Vector padded(2 * n, x.backend());
  copy(x, padded.part(n, n));
  PhiCombination b(2 * n);
  b.add(1, 1.0, padded);
  const Vector sinc = phi_.evaluate(linear, h, b, 1.0, 1.0, report);
  copy(sinc.part(n, n), out);
  if (filter_ == GautschiFilter::sinc) return out;
  // ⅓sin²(z/2) = (1 − cos z)/6, and cos(hΩ)s − s is the velocity part of hφ_1(h𝒜)𝒜(0, s)
  fill(0.0, padded.part(0, n));
  copy(out, padded.part(n, n));
  Vector moved(2 * n, x.backend());
  linear.apply(padded, moved);
  PhiCombination change(2 * n);
  change.add(1, h, moved);
  const Vector cosine = phi_.evaluate(linear, h, change, 1.0, 1.0, report);
  axpy(-1.0 / 6, cosine.part(n, n), out);
  return out;
}

Vector Gautschi::nonlinearity(OscillatorJacobian& linear, double t, ConstVectorView x, ConstVectorView v,
                              double h, PhiReport& report) {
  const std::size_t n = x.size();
  const Vector filtered_x = filtered(linear, x, h, report);
  Vector g(n, x.backend()), K0x(n, x.backend());
  system_->force(t, filtered_x, v, g);
  linear_.stiffness.apply(filtered_x, K0x);
  axpy(1.0, K0x, g);
  system_->mass().solve(g, g);
  return g;
}

Step Gautschi::step(const State& from, double h, bool) {
  const std::size_t n = from.unknowns();
  OscillatorJacobian linear = phi_.jacobian(*system_, linear_, h);
  Step result{State(from.time + h, from.y), {}, {}};

  const Vector g = nonlinearity(linear, from.time, from.x(), from.v(), h, result.phi);
  // y + hφ_1(h𝒜)(𝒜y + (0, g))
  Vector rate(2 * n, from.y.backend());
  linear.apply(from.y, rate);
  axpy(1.0, g, rate.part(n, n));
  PhiCombination flow(2 * n);
  flow.add(1, h, rate);
  axpy(1.0, phi_.evaluate(linear, h, flow, 1.0, 1.0, result.phi), result.state.y);

  // v⁺ += velocity part of hφ_2(h𝒜)(0, g⁺ − g)
  Vector change(2 * n, from.y.backend());
  copy(nonlinearity(linear, result.state.time, result.state.x(), result.state.v(), h, result.phi),
       change.part(n, n));
  axpy(-1.0, g, change.part(n, n));
  PhiCombination correction(2 * n);
  correction.add(2, h, change);
  const Vector w = phi_.evaluate(linear, h, correction, 1.0, 1.0, result.phi);
  axpy(1.0, w.part(n, n), result.state.v());
  return result;
}

}  // namespace stiffly
