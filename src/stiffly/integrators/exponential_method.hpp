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
  /// y(θ) = y + θhφ_1(θhJ)F + h Σ_i b_i(θ, hJ) D_i with θ^k φ_k(θhJ) for each φ_k(hJ) of b_i: the polynomial
  /// that the weights see in the D_i goes through the linear flow up to θ.
  std::vector<State> within(const State& from, const State& to, std::span<const double> times) override;
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;

 private:
  /// What a step comes to: y⁺ = y + Σ_k φ_k(hJ) b_k with J at `from`.
  struct Sum {
    State from;
    double h = 0;
    PhiCombination b{0};
    std::vector<Vector> remainders;  ///< D of all stages
  };
  OscillatorJacobian jacobian_at(const State& from, double h);
  Sum stages(const State& from, double h, OscillatorJacobian& jacobian, PhiSolver& phi, PhiReport& report);

  const ExponentialTableau& tableau_;
  IntegratorTraits traits_;
  PhiSolver phi_;
  std::optional<PhiSolver> output_phi_;  ///< for states within steps
  Sum last_;                             ///< of the last step, its remainders dropped
  const SecondOrderSystem* system_ = nullptr;
  State linearized_at_;   ///< where the fixed linear part is from
  Tangent tangent_;       ///< at the last linearisation; kept for its memory
  double amplification_;  ///< Σ|b_i(0)|: how much errors of the stages count
};

}  // namespace stiffly
