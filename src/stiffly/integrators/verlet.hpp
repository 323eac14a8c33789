// Symplectic explicit methods: one force evaluation per step.
#pragma once

#include "stiffly/integrators/acceleration_cache.hpp"
#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

enum class VerletForm {
  symplectic_euler,  ///< v⁺ = v + h a(t, x, v),  x⁺ = x + h v⁺: also the leapfrog with velocities at half
                     ///< steps
  velocity,  ///< kick by half a step, drift, kick by half a step
  position,  ///< drift by half a step, kick, drift by half a step
};

/// Störmer–Verlet in its two forms, and symplectic Euler. The staggered grid of paper 004 (eq. 41–45) is
/// symplectic Euler as it stands there, with v for v_{n−1/2}; started and ended by half a kick it is the
/// velocity form. Forces that depend on the velocity are seen at velocities predicted to first order, which
/// keeps second order without a system to be solved.
class Verlet final : public Integrator {
 public:
  explicit Verlet(VerletForm form) : form_(form), traits_(traits_of(form)) {}
  static IntegratorTraits traits_of(VerletForm form);
  const IntegratorTraits& traits() const override { return traits_; }
  void start(const SecondOrderSystem& system, const State& state) override;
  Step step(const State& from, double h, bool want_error) override;

 private:
  VerletForm form_;
  IntegratorTraits traits_;
  AccelerationCache acceleration_;
  Vector a_, predicted_;
};

}  // namespace stiffly
