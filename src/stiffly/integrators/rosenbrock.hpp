// Rosenbrock methods: linear systems only, with one matrix per step.
#pragma once

#include <span>
#include <vector>

#include "stiffly/integrators/integrator.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly {

/// (1/(hγ) − J) G_i = F(t + α_i h, y + Σ_j a_ij G_j) + Σ_j c_ij/h G_j + γ_i h ∂F/∂t,   y⁺ = y + Σ m_i G_i
/// [Hairer & Wanner 1996, IV.7; paper 003 eq. 4].
struct RosenbrockTableau {
  IntegratorTraits traits;
  double gamma = 0;
  std::vector<double> alpha, gamma_sum;
  std::vector<std::vector<double>> a, c;  ///< strictly lower rows
  std::vector<double> m;
  std::vector<double> difference = {};  ///< m − m̂; empty: no estimate
  bool inexact = false;                 ///< J of the start of the run in every step (for W-methods)
};

/// baraff-witkin, ros3pl, ros3prl2, ros3pl-w.
std::span<const RosenbrockTableau> rosenbrock_tableaus();

class Rosenbrock final : public Integrator {
 public:
  explicit Rosenbrock(const RosenbrockTableau& tableau) : tableau_(tableau) {}
  const IntegratorTraits& traits() const override { return tableau_.traits; }
  void start(const SecondOrderSystem& system, const State& state) override;
  Step step(const State& from, double h, bool want_error) override;
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;

 private:
  void linearize(const State& at);

  const RosenbrockTableau& tableau_;
  const SecondOrderSystem* system_ = nullptr;
  Tangent tangent_;
  State linearized_at_;                      // inexact: where J is from
  std::unique_ptr<ShiftedInverse> inverse_;  // the last one, for what it can lend to the next
};

}  // namespace stiffly
