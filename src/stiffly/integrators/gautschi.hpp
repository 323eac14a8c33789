// Gautschi-type integrators: exact on x'' + Ax = const, one force evaluation per step and node.
#pragma once

#include "stiffly/integrators/phi_solver.hpp"

namespace stiffly {

/// Which positions the nonlinearity g sees: φ(hΩ)x. Filters keep resonant steps (hω near multiples of π)
/// harmless.
enum class GautschiFilter {
  none,              ///< φ = 1
  sinc,              ///< φ = sinc(z)
  hochbruck_lubich,  ///< φ = sinc(z)(1 + ⅓ sin²(z/2))
};

/// x'' + Ax = g with constant A = M⁻¹K_0 = Ω², in one-step form:
///   x⁺ = cos(hΩ)x + Ω⁻¹sin(hΩ)v + ½h²ψ(hΩ) g,   ψ(z) = sinc²(z/2),   g = g(φ(hΩ)x),
///   v⁺ = −Ω sin(hΩ)x + cos(hΩ)v + h sinc(hΩ) g + ½hψ(hΩ)(g⁺ − g).
/// With 𝒜 = [[0,I],[−A,0]] this is y + hφ_1(h𝒜)(v, g − Ax) plus, in v, hφ_2(h𝒜)(0, g⁺ − g).
/// Velocity-dependent forces enter g⁺ with the velocity predicted by the first part.
class Gautschi final : public Integrator {
 public:
  Gautschi(GautschiFilter filter, const IntegratorOptions& options);
  static IntegratorTraits traits_of(GautschiFilter filter);

  const IntegratorTraits& traits() const override { return traits_; }
  void start(const SecondOrderSystem& system, const State& state) override;
  Step step(const State& from, double h, bool want_error) override;
  /// The two parts up to θh instead of h.
  std::vector<State> within(const State& from, const State& to, std::span<const double> times) override;
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;

 private:
  /// φ-functions of h𝒜.
  struct Functions {
    PhiSolver& solver;
    OscillatorJacobian linear;  ///< 𝒜
    double h;
    PhiReport report = {};
    std::vector<Vector> operator()(const PhiCombination& b, std::span<const double> nodes) {
      return solver.evaluate(linear, h, b, nodes, 1.0, report);
    }
    Vector operator()(const PhiCombination& b) { return solver.evaluate(linear, h, b, 1.0, 1.0, report); }
  };
  /// φ(hΩ)x
  Vector filtered(Functions& phi, ConstVectorView x);
  /// g = M⁻¹(f(t, φx, v) + K_0 φx)
  Vector nonlinearity(Functions& phi, double t, ConstVectorView x, ConstVectorView v);
  /// b_1 = h(𝒜y + (0, g))
  PhiCombination flow(Functions& phi, const State& from, const Vector& g);
  /// b_2 = h(0, g⁺ − g)
  PhiCombination correction(Functions& phi, const State& predicted, const Vector& g);

  GautschiFilter filter_;
  IntegratorTraits traits_;
  PhiSolver phi_;
  const SecondOrderSystem* system_ = nullptr;
  State linearized_at_;  ///< where the fixed linear part is from
  Tangent linear_;
};

}  // namespace stiffly
