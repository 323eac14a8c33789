// A step that keeps energy and momenta, and does not fear stiff springs that turn.
#pragma once

#include <deque>

#include "stiffly/integrators/mixed_iteration.hpp"

namespace stiffly {

/// x⁺ − x = h (v + v⁺)/2,  M(v⁺ − v) = h f̄, where f̄ is the discrete gradient of the elastic energy between x
/// and x⁺ (MixedForce): energy and angular momentum are kept to the tolerance of the iteration, momentum to
/// round-off. [Simo and Tarnow 1992; Gonzalez 1996] With strains as unknowns it takes a few solves on a kept
/// factor, whatever the stiffness. The stiff limit is R(∞) = −1: what is not resolved is reflected, not
/// damped. A step whose iteration does not converge is made as two of half its length, and so on.
class EnergyMomentum final : public Integrator {
 public:
  struct Parameters {
    /// θ > ½ damps strains that are not resolved: f̄ is then that of θ, not of the middle.
    double theta = 0.5;
    /// Parts of a step, one after the other; negative ones go back in time.
    std::vector<double> parts = {1};
  };
  EnergyMomentum(const IntegratorTraits& traits, const Parameters& parameters,
                 const IntegratorOptions& options);

  struct Variant {
    IntegratorTraits traits;
    Parameters parameters;
  };
  /// "energy-momentum", "energy-momentum-damped" and "energy-momentum-4".
  static Variant conserving();
  static Variant damped();
  /// Five symmetric steps of p, p, 1 − 4p, p, p with p = 1/(4 − ∛4) cancel the error of third order; energy
  /// and momenta are kept as by each of them. [Suzuki 1990; Hairer, Lubich and Wanner 2006, II.4]
  static Variant fourth_order();
  static std::vector<Variant> all() { return {conserving(), damped(), fourth_order()}; }

  const IntegratorTraits& traits() const override { return traits_; }
  void start(const SecondOrderSystem& system, const State& state) override;
  /// Estimate: h³/2 times the third divided difference of the positions, h³x‴/12; none of the velocities, of
  /// which those that are not resolved have nothing to compare with. Before there are three states to go back
  /// to, the comparison of one step with two.
  Step step(const State& from, double h, bool want_error) override;
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;

  /// How many steps were made that nobody asked for, because longer ones did not converge.
  long substeps() const { return substeps_; }

 private:
  /// A state with what belongs to it: strains, and the acceleration on the way to it.
  struct Moment {
    State state;
    std::vector<double> strain;
    Vector acceleration;
  };
  /// All parts of a step.
  Moment compose(const Moment& from, double h);
  /// One part, or as many as it takes. A step after one that was divided begins with half as many parts.
  Moment advance(MixedIteration& iteration, const Moment& from, double h, int halvings);
  Moment advance_by_halves(MixedIteration& iteration, const Moment& from, double h, int halvings);
  /// The moment of a state: one of the past, or one that comes from outside.
  Moment recall(const State& from, double h);
  void remember(Moment moment);
  Vector third_difference(const State& now, double h) const;

  IntegratorTraits traits_;
  Parameters parameters_;
  double tolerance_;
  std::vector<double> lengths_;             // of parts, each once
  std::vector<MixedIteration> iterations_;  // for each length, with its factor
  const SecondOrderSystem* system_ = nullptr;
  std::deque<Moment> past_;  // newest first, four at most
  long substeps_ = 0;
  int foreseen_ = 0;  // halvings that the next step begins with: one less than the last one needed
  int deepest_ = 0;   // halvings of the present step
};

}  // namespace stiffly
