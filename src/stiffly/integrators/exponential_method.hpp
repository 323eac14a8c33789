// One step for every method in the form of ExponentialTableau.
#pragma once

#include "stiffly/integrators/exponential_tableau.hpp"
#include "stiffly/integrators/phi_solver.hpp"

namespace stiffly {

class ExponentialMethod final : public Integrator {
 public:
  ExponentialMethod(const ExponentialTableau& tableau, const IntegratorOptions& options);

  /// What a tableau says of its method.
  static IntegratorTraits traits_of(const ExponentialTableau& tableau);

  const IntegratorTraits& traits() const override { return traits_; }
  void start(const SecondOrderSystem& system, const State& state) override;
  Step step(const State& from, double h, bool want_error) override;
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;

 private:
  const ExponentialTableau& tableau_;
  IntegratorTraits traits_;
  PhiSolver phi_;
  const SecondOrderSystem* system_ = nullptr;
  State linearized_at_;   ///< where the fixed linear part is from
  Tangent tangent_;       ///< at the last linearisation; kept for its memory
  double amplification_;  ///< Σ|b_i(0)|: how much errors of the stages count
};

}  // namespace stiffly
