// The energy-momentum step with exact angles for the vibrations that it resolves.
#pragma once

#include "stiffly/integrators/energy_momentum.hpp"

namespace stiffly {

/// x⁺ − x = hΘ(v + v⁺)/2,  v⁺ − v = hΘM⁻¹f̄ with the Θ of ResolvedModes for the stiffness where the step
/// begins: linear vibrations of hω below the `largest_angle` are exact, all others are treated as by
/// "energy-momentum". Energy is kept alike; momenta are as accurate as the step, since Θ does not know of
/// them.
///
/// The result depends on Θ, and Θ on the stiffness: a factor can not be kept. Where bodies turn so far within
/// a step that the iteration does not converge, the step is one of "energy-momentum" (Θ = 1).
class EnergyExponential final : public Integrator {
 public:
  explicit EnergyExponential(const IntegratorOptions& options);
  static IntegratorTraits info();

  const IntegratorTraits& traits() const override { return traits_; }
  void start(const SecondOrderSystem& system, const State& state) override;
  Step step(const State& from, double h, bool want_error) override;
  IntegratorMemory save() override;

  /// Steps that were made by "energy-momentum".
  long plain_steps() const { return plain_steps_; }

 private:
  /// Nothing where the iteration does not converge.
  std::optional<State> follow(const State& from, double h);

  IntegratorTraits traits_;
  double tolerance_;
  MixedIteration iteration_;
  EnergyMomentum plain_;
  const SecondOrderSystem* system_ = nullptr;
  long plain_steps_ = 0;
  State last_;  // where the last step began
};

}  // namespace stiffly
