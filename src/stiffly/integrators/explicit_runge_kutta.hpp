// Explicit Runge–Kutta methods from one table format.
#pragma once

#include <span>
#include <vector>

#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

/// k_i = F(t + c_i h, y + h Σ_{j<i} a_ij k_j),   y⁺ = y + h Σ b_i k_i,   ŷ⁺ with b̂.
struct ButcherTableau {
  IntegratorTraits traits;
  std::vector<double> c;
  std::vector<std::vector<double>> a;  ///< rows, as long as they have entries
  std::vector<double> b;
  std::vector<double> b_hat = {};  ///< empty: no estimate
};

/// forward-euler, explicit-midpoint, rk4, dopri5.
std::span<const ButcherTableau> explicit_tableaus();

class ExplicitRungeKutta final : public Integrator {
 public:
  explicit ExplicitRungeKutta(const ButcherTableau& tableau) : tableau_(tableau) {}
  const IntegratorTraits& traits() const override { return tableau_.traits; }
  void start(const SecondOrderSystem& system, const State&) override { system_ = &system; }
  Step step(const State& from, double h, bool want_error) override;
  /// By the polynomial of degree five with positions, velocities and accelerations of both ends [Hermite].
  std::vector<State> within(const State& from, const State& to, std::span<const double> times) override;

 private:
  const ButcherTableau& tableau_;
  const SecondOrderSystem* system_ = nullptr;
};

}  // namespace stiffly
