// Whether frames within steps show the motion.
#pragma once

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// Between the ends of a step frames are on a cubic, which knows nothing of what swings to and fro within the
/// step. Accelerations do: a vibration of frequency ω with the velocity v has a = ωv, and h·a > π·v says that
/// the step spans half a period or more. Where motion is resolved, velocities change by h·a, and are
/// themselves larger.
class FrameCheck {
 public:
  explicit FrameCheck(const SecondOrderSystem& system) : system_(system) {}

  /// A step that ends in `state`, with so many frames within it.
  void see(const State& state, std::size_t frames);

  long interpolated() const { return interpolated_; }  ///< frames within steps
  long unresolved() const { return unresolved_; }      ///< those within steps of half a period and more

 private:
  double mass_norm(ConstVectorView x) const;

  const SecondOrderSystem& system_;
  State last_;
  double speed_ = 0;  ///< largest so far, in the mass norm
  long interpolated_ = 0, unresolved_ = 0;
};

}  // namespace stiffly
