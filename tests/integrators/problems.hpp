// Initial value problems that order claims are measured on.
#pragma once

#include <cmath>
#include <Eigen/Dense>
#include <functional>
#include <memory>
#include <numbers>

#include "stiffly/integrators/registry.hpp"
#include "stiffly/system/second_order_system.hpp"

namespace stiffly::test {

/// A chain of scalar oscillators, hardening, damped and driven:
///   M x'' + C x' + K x + α x³ = f(t),  f_i(t) = sin(3t + i) + ½ t cos t.
class DrivenChain final : public SecondOrderSystem {
 public:
  enum class Mass { diagonal, consistent };

  explicit DrivenChain(Mass kind, int n = 6, double hardening = 20) : n_(n), alpha_(hardening) {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i + 1 < n; ++i) pairs.emplace_back(i, i + 1);
    pattern_ = BlockPattern::symmetric(static_cast<std::size_t>(n), 1, pairs);
    stiffness_ = tridiagonal(80.0, -40.0);
    damping_ = tridiagonal(0.9, -0.3);
    if (kind == Mass::diagonal) {
      std::vector<double> m;
      for (int i = 0; i < n; ++i) m.push_back(1.0 + 0.2 * i);
      mass_ = MassMatrix::diagonal(m);
    } else {
      mass_ = MassMatrix::sparse(tridiagonal(4.0 / 6, 1.0 / 6));
    }
  }

  State initial_state() const {
    std::vector<double> x, v;
    for (int i = 0; i < n_; ++i) {
      x.push_back(0.5 * std::cos(i));
      v.push_back(std::sin(2.0 * i));
    }
    return State(0.0, x, v);
  }

  std::size_t unknowns() const override { return static_cast<std::size_t>(n_); }
  const MassMatrix& mass() const override { return mass_; }
  bool autonomous() const override { return false; }
  bool conservative() const override { return false; }
  double potential_energy(double, ConstVectorView x) const override {
    Vector Kx(x.size());
    stiffness_.apply(x, Kx);
    double quartic = 0;
    for (const double q : host(x)) quartic += 0.25 * alpha_ * q * q * q * q;
    return 0.5 * dot(x, Kx) + quartic;
  }

 protected:
  void do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const override {
    Vector Kx(x.size()), Cv(x.size());
    stiffness_.apply(x, Kx);
    damping_.apply(v, Cv);
    for (std::size_t i = 0; i < unknowns(); ++i) {
      const double q = host(x)[i];
      host(f)[i] = -host(Kx)[i] - host(Cv)[i] - alpha_ * q * q * q +
                   std::sin(3 * t + static_cast<double>(i)) + 0.5 * t * std::cos(t);
    }
  }
  void do_tangent(double, ConstVectorView x, ConstVectorView, Tangent& out) const override {
    out.stiffness = stiffness_;
    out.damping = damping_;
    std::vector<double> hardening;
    for (const double q : host(x)) hardening.push_back(3 * alpha_ * q * q);
    out.stiffness.add_diagonal(1.0, hardening);
  }
  void do_force_rate(double t, ConstVectorView, ConstVectorView, VectorView out) const override {
    for (std::size_t i = 0; i < unknowns(); ++i)
      host(out)[i] = 3 * std::cos(3 * t + static_cast<double>(i)) + 0.5 * std::cos(t) - 0.5 * t * std::sin(t);
  }

 private:
  BlockMatrix tridiagonal(double diagonal, double beside) const {
    BlockMatrix out(pattern_);
    for (std::size_t i = 0; i < pattern_->rows(); ++i)
      for (std::int64_t k = pattern_->row_begin(i); k < pattern_->row_end(i); ++k)
        *out.block(k) = pattern_->column(k) == static_cast<int>(i) ? diagonal : beside;
    return out;
  }

  int n_;
  double alpha_;
  std::shared_ptr<const BlockPattern> pattern_;
  BlockMatrix stiffness_, damping_;
  MassMatrix mass_;
};

/// A step of length h as a controlled run makes it: the end time is known to the caller, who rounds it in his
/// own way, and before it a longer step may have been tried and rejected.
inline void step_to(double next, Integrator& method, State& state, double h, bool rejected_before) {
  if (rejected_before) method.step(state, 1.3 * h, true);
  state = method.step(state, h, false).state;
  state.time = next;
}

/// State after steps of h over `duration`, the last one shorter if need be, some after a rejected one.
inline State integrate(
    const SecondOrderSystem& system, Integrator& method, State state, double duration, double h,
    const std::function<void(const State&)>& observe = [](const State&) {}) {
  method.start(system, state);
  const double start = state.time, end = start + duration;
  const long steps = static_cast<long>(std::ceil(duration / h * (1 - 1e-9)));
  for (long i = 1; i <= steps; ++i) {
    const double next = i == steps ? end : start + static_cast<double>(i) * h;
    step_to(next, method, state, i == steps ? end - state.time : h, i % 7 == 3);
    observe(state);
  }
  return state;
}

/// A step near h, no binary fraction, that leaves a third or two of itself over at the end of `duration`,
/// however often it is halved.
inline double uneven_step(double duration, double h) {
  return duration / (std::round(duration / h) - 1.0 / 3);
}

/// States at `count` equally spaced times over `duration`, by steps of h.
inline std::vector<State> trajectory(const SecondOrderSystem& system, Integrator& method, State state,
                                     double duration, int count, double h) {
  std::vector<State> out;
  for (int i = 0; i < count; ++i)
    out.push_back(state = integrate(system, method, state, duration / count, h));
  return out;
}

/// max |a − b| over all entries.
inline double distance(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.y.size(); ++i) {
    const double off = std::abs(host(a.y)[i] - host(b.y)[i]);
    if (std::isnan(off)) return off;
    largest = std::max(largest, off);
  }
  return largest;
}

/// The same over all states of two trajectories: a single end time can flatter a method.
inline double distance(const std::vector<State>& a, const std::vector<State>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, distance(a[i], b[i]));
  return largest;
}

/// Slope of log(error) over log(h) between the two finest steps whose errors are above `floor`.
inline double slope(const std::vector<double>& steps, const std::vector<double>& errors, double floor) {
  std::size_t usable = 0;
  while (usable < errors.size() && errors[usable] > floor) ++usable;
  if (usable < 2) return std::nan("");
  return std::log(errors[usable - 2] / errors[usable - 1]) / std::log(steps[usable - 2] / steps[usable - 1]);
}

}  // namespace stiffly::test
