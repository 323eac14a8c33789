// The acceleration at the end of a step is the one at the start of the next: evaluated once.
#pragma once

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// M⁻¹f(t, x, v). Where f does not depend on v, the last value is kept, and given again for the same x (and,
/// where f depends on it, the same t).
class AccelerationCache {
 public:
  void start(const SecondOrderSystem& system);
  bool conservative() const { return system_->conservative(); }
  /// a ← M⁻¹f(t, x, v)
  void evaluate(double t, ConstVectorView x, ConstVectorView v, Vector& a);

 private:
  bool holds(double t, ConstVectorView x) const;

  const SecondOrderSystem* system_ = nullptr;
  double t_ = 0;
  Vector x_, a_;  // empty: nothing is kept
};

}  // namespace stiffly
