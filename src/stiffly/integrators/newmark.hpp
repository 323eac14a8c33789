// Newmark's method and the generalised-α method, the standards of structural dynamics.
#pragma once

#include "stiffly/integrators/stage_solver.hpp"

namespace stiffly {

/// x⁺ = x + hv + h²((½−β)a + βa⁺),   v⁺ = v + h((1−γ)a + γa⁺),
/// M((1−α_m)a⁺ + α_m a) = f at (1−α_f)(x⁺, v⁺) + α_f(x, v)   [Newmark 1959; Chung & Hulbert 1993].
struct NewmarkParameters {
  double beta = 0.25, gamma = 0.5, alpha_m = 0, alpha_f = 0;

  /// Second order, and as little damping of resolved motion as a spectral radius ρ∞ at infinity allows.
  static NewmarkParameters generalized_alpha(double rho);
};

class Newmark final : public Integrator {
 public:
  Newmark(const IntegratorTraits& traits, const NewmarkParameters& parameters,
          const IntegratorOptions& options)
      : traits_(traits), parameters_(parameters), solver_(options) {}
  static IntegratorTraits newmark();
  static IntegratorTraits generalized_alpha();

  const IntegratorTraits& traits() const override { return traits_; }
  void start(const SecondOrderSystem& system, const State& state) override;
  /// Estimate: h²(β − 1/6)(a⁺ − a) in the positions [Zienkiewicz & Xie 1991].
  Step step(const State& from, double h, bool want_error) override;
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;

 private:
  /// A state and the acceleration a that the recurrence gives it, which is not M⁻¹f where α_m ≠ α_f.
  struct Point {
    State state;
    Vector acceleration;
  };
  /// M⁻¹f there
  Point start_at(const State& state) const;
  /// before_ ← the point that `from` is
  void go_on_from(const State& from, double h);

  IntegratorTraits traits_;
  NewmarkParameters parameters_;
  StageSolver solver_;
  const SecondOrderSystem* system_ = nullptr;
  Point before_, after_;  // where the last step began and where it ended
};

}  // namespace stiffly
