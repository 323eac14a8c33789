// How large errors and gains of energy are, measured by the motion.
#pragma once

#include <span>
#include <vector>

#include "stiffly/system/second_order_system.hpp"

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
  /// a deep potential, make it more than what moves in the first moments. Fields that come later make it
  /// more.
  double energy_roundoff(double energy = 0) const;
  /// A first step: in which forces and velocities move things by about the cube root of the tolerance
  /// of the body's extent (from the origin).
  /// Errors are measured against at least that motion: of a body at rest any error would be infinite. Where
  /// nothing pushes it yet, a few long steps look for what will.
  double first_step(double tolerance, double duration);
  /// X and V
  double displacement() const { return displacement_; }
  double speed() const { return speed_; }

  std::vector<double> save() const { return {displacement_, speed_}; }
  void restore(std::span<const double> memory) { displacement_ = memory[0], speed_ = memory[1]; }

 private:
  double mass_norm(ConstVectorView x) const;
  void look_ahead(double part, double duration);
  void see_obstacles(double duration);

  const SecondOrderSystem* system_;
  State start_;
  double displacement_ = 0, speed_ = 0;
  double roundoff_ = 0;  // of positions: no error worth a shorter step
  double energy_roundoff_ = 0;
  mutable Vector work_;
};

}  // namespace stiffly
