// A force that is wanted again at the start of the next step: evaluated once.
#pragma once

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// M⁻¹f at a state. Of a conservative system the value is kept, and given again without an evaluation where
/// the next step begins at the very positions (and time) of the last one.
class KeptForce {
 public:
  void start(const SecondOrderSystem& system);
  bool conservative() const { return system_->conservative(); }
  /// a ← M⁻¹f(t, x, v)
  void acceleration(double t, ConstVectorView x, ConstVectorView v, Vector& a);

 private:
  const SecondOrderSystem* system_ = nullptr;
  bool valid_ = false;
  double time_ = 0;
  Vector x_, a_, difference_;
};

}  // namespace stiffly
