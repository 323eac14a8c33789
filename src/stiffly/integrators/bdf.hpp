// Backward differentiation formulas of order 2 to 6 on any sequence of steps.
#pragma once

#include <deque>

#include "stiffly/integrators/dirk.hpp"

namespace stiffly {

/// The polynomial through y⁺ and the last k states has the derivative F(y⁺) at t⁺: Σ α_i y_i = hF(y⁺) with α
/// from the times themselves (paper 004 Table 3 for equal steps). Until there are k+1 states, a one-step
/// method of order five makes them, so that it starts by itself, loses no order, and has an estimate from the
/// first step on.
class Bdf final : public Integrator {
 public:
  Bdf(int k, const IntegratorOptions& options);
  static IntegratorTraits traits_of(int k);
  const IntegratorTraits& traits() const override { return traits_; }
  void start(const SecondOrderSystem& system, const State& state) override;
  /// Estimate: the distance to the polynomial through k+1 states, extrapolated, times h/(t⁺ − t_{n−k}).
  Step step(const State& from, double h, bool want_error) override;
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;

 private:
  /// Whether there are too few states yet.
  bool starting() const { return history_.size() <= static_cast<std::size_t>(k_); }
  /// Puts `from` at the front of the history; what does not lead up to it is dropped.
  void go_on_from(const State& from, double h);
  /// sdirk-nc34 over h and twice over h/2, extrapolated: order 5.
  Step one_step(const State& from, double h);
  Step multistep(const State& from, double h, bool want_error);

  int k_;
  IntegratorTraits traits_;
  StageSolver solver_;
  Dirk starter_;
  const SecondOrderSystem* system_ = nullptr;
  std::deque<State> history_;  // states that steps began at, newest first, k+1 at most
  State last_;                 // the last result
  Vector guess_;               // the last acceleration
};

}  // namespace stiffly
