// How long the next step may be.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

/// Size of an error relative to the motion so far: in the mass norm, positions against the largest
/// displacement from the start, velocities against the largest velocity,
///   ‖e‖² = ½(‖e_x‖²_M/X² + ‖e_v‖²_M/V²).
/// A body that moves as a whole and one that only vibrates are both judged by what they do.
class MotionScale {
 public:
  MotionScale(const SecondOrderSystem& system, const State& start);
  /// Takes a new state into account.
  void see(const State& state);
  double relative(const Vector& error) const;
  /// Energy that a passive system has gained from one state to another, relative to the most that was in
  /// motion. 0 for systems that something drives, and for what rounding makes.
  double energy_gain(double before, double after) const;
  /// By how much the last digits of positions alone change the energy: stiff springs far from the origin, or
  /// a deep potential, make it more than what moves in the first moments.
  double energy_roundoff() const { return energy_roundoff_; }
  /// A first step: in which forces and velocities move things by about the cube root of the tolerance
  /// of the body's extent (from the origin).
  /// Errors are measured against at least that motion: of a body at rest any error would be infinite.
  double first_step(double tolerance, double duration);
  /// X and V
  double displacement() const { return displacement_; }
  double speed() const { return speed_; }

  std::vector<double> save() const { return {displacement_, speed_}; }
  void restore(std::span<const double> memory) { displacement_ = memory[0], speed_ = memory[1]; }

 private:
  double mass_norm(ConstVectorView x) const;

  const SecondOrderSystem* system_;
  State start_;
  double displacement_ = 0, speed_ = 0;
  double roundoff_ = 0;  // of positions: no error worth a shorter step
  double energy_roundoff_ = 0;
  mutable Vector work_;
};

/// PI control of the local error [Gustafsson 1991]. The estimate falls like h^q; the error in the end like
/// h^p, p being the order. The estimate is therefore held at tolerance^{q/p}, which makes the error in the
/// end proportional to the tolerance [Shampine 1994], whatever the method.
class StepController {
 public:
  StepController(const IntegratorTraits& traits, double tolerance);
  /// Whether a step with this estimate is good enough, and with this gain of energy: where links turn too far
  /// in a step, stiff springs are left stretched, which positions and velocities hardly show. Left alone,
  /// that becomes vibrations which cost more than shorter steps do. Either way factor() tells how to change
  /// the step. Explicit methods see energy come and go within a vibration: there it does not count.
  bool judge(double error, double energy_gain = 0);
  /// A step that gave nothing to be judged: blown up, or a solver gave up.
  void fail();
  double factor() const { return factor_; }

  std::vector<double> save() const { return {last_.value_or(-1), rejected_ ? 1.0 : 0.0}; }
  void restore(std::span<const double> memory);

 private:
  double exponent_;  // 1/q
  double target_;
  double most_energy_;  // gain that is good enough
  double longest_;      // growth per step
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
