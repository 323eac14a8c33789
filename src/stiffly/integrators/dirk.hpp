// Diagonally implicit Runge–Kutta methods, backward Euler and the midpoint rule among them.
#pragma once

#include <span>

#include "stiffly/integrators/explicit_runge_kutta.hpp"
#include "stiffly/integrators/stage_solver.hpp"

namespace stiffly {

class MemoryReader;

/// backward-euler, implicit-midpoint, trapezoidal and the methods of paper 003 (Lösschner et al. 2020), its
/// tables in their closed forms.
std::span<const ButcherTableau> dirk_tableaus();

/// G_i = F(t + c_i h, y + h Σ_{j≤i} a_ij G_j): a stage with a_ii ≠ 0 is one system of N unknowns, one with
/// a_ii = 0 an evaluation, made only where it is needed.
class Dirk final : public Integrator {
 public:
  Dirk(const ButcherTableau& tableau, const IntegratorOptions& options);
  const IntegratorTraits& traits() const override { return tableau_.traits; }
  void start(const SecondOrderSystem& system, const State& state) override;
  Step step(const State& from, double h, bool want_error) override;
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;
  /// As a part of what another method saves.
  void restore(MemoryReader& memory);

 private:
  const ButcherTableau& tableau_;
  StageSolver solver_;
  const SecondOrderSystem* system_ = nullptr;
  std::vector<Vector> guesses_;  // accelerations of the stages of the last step
};

}  // namespace stiffly
