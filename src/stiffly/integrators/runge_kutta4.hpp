// The classical Runge–Kutta method: the yardstick of papers 001 and 002.
#pragma once

#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

/// k_1 = F(y), k_2 = F(y + h/2 k_1), k_3 = F(y + h/2 k_2), k_4 = F(y + h k_3), y⁺ = y + h/6 (k_1 + 2k_2 + 2k_3 + k_4)
class RungeKutta4 final : public Integrator {
 public:
  static IntegratorTraits info();
  const IntegratorTraits& traits() const override { return traits_; }
  void start(const SecondOrderSystem& system, const State&) override { system_ = &system; }
  Step step(const State& from, double h, bool want_error) override;

 private:
  IntegratorTraits traits_ = info();
  const SecondOrderSystem* system_ = nullptr;
};

}  // namespace stiffly
