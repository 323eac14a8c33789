// Whether frames within steps show the motion.
#pragma once

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// Between the ends of a step frames are on a cubic, which knows nothing of what swings to and fro within the
/// step. Accelerations do: where the motion is resolved, v changes by h (a_0 + a_1)/2 up to third order; a
/// vibration of frequency ω with velocity v_f makes it differ by about hω v_f. From one time the largest
/// velocity on, more than a period of something that carries energy was passed over.
class FrameCheck {
 public:
  explicit FrameCheck(const SecondOrderSystem& system) : system_(system) {}

  /// A step that ends in `state`, with so many frames within it.
  void see(const State& state, std::size_t frames);

  long interpolated() const { return interpolated_; }  ///< frames within steps
  long unresolved() const { return unresolved_; }      ///< those that passed over a period

 private:
  double mass_norm(ConstVectorView x) const;

  const SecondOrderSystem& system_;
  State last_;
  double speed_ = 0;  ///< largest so far, in the mass norm
  long interpolated_ = 0, unresolved_ = 0;
};

}  // namespace stiffly
