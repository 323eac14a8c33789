// How long the next step may be.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

/// PI control of the local error [Gustafsson 1991]. The estimate falls like h^q; the error in the end like
/// h^p, p being the order. The estimate is therefore held at tolerance^{q/p}, which makes the error in the
/// end proportional to the tolerance [Shampine 1994], whatever the method.
class StepController {
 public:
  StepController(const IntegratorTraits& traits, double tolerance);
  /// Whether a step with this estimate is good enough, and with this share of its EnergyBudget: where links
  /// turn too far in a step, stiff springs are left stretched, which positions and velocities hardly show.
  /// Left alone, that becomes vibrations which cost more than shorter steps do. Either way factor() tells how
  /// to change the step.
  bool judge(double error, double energy_share = 0);
  /// Whether the estimate alone is.
  bool small(double error) const { return error <= target_; }
  /// A step that gave nothing to be judged: blown up, or a solver gave up.
  void fail();
  double factor() const { return factor_; }

  std::vector<double> save() const { return {last_.value_or(-1), rejected_ ? 1.0 : 0.0}; }
  void restore(std::span<const double> memory);

 private:
  double exponent_;  // 1/q
  double target_;
  double longest_;  // growth per step
  bool steady_;     // small changes of the step are not worth a new factor
  double factor_ = 1;
  std::optional<double> last_;  // error/target of the last accepted step
  bool rejected_ = false;       // the last step was
};

/// A step of about h where `left` is left of the run: the last one ends at the end, and the one before it
/// leaves a step worth making.
inline double fitted_step(double h, double left) { return h >= left ? left : h > 0.55 * left ? left / 2 : h; }

/// Options under which evaluators and solvers do not get in the way of the tolerance: what they may leave is
/// a hundredth of what a step may.
IntegratorOptions options_for(const IntegratorTraits& traits, IntegratorOptions options, double tolerance);

/// A step with an error estimate, from the method's own or, where it has none, from two steps of half the
/// length.
Step step_with_error(Integrator& integrator, const State& from, double h);

}  // namespace stiffly
