#include "stiffly/integrators/kept_force.hpp"

namespace stiffly {

void KeptForce::start(const SecondOrderSystem& system) {
  system_ = &system;
  valid_ = false;
}

void KeptForce::acceleration(double t, ConstVectorView x, ConstVectorView v, Vector& a) {
  if (a.size() != x.size()) a = Vector(x.size(), x.backend());
  if (system_->conservative() && valid_ && t == time_ && x_.size() == x.size()) {
    copy(x, difference_);
    axpy(-1.0, x_, difference_);
    if (norm(difference_) == 0) {
      copy(a_, a);
      return;
    }
  }
  system_->force(t, x, v, a);
  system_->mass().solve(a, a);
  if (!system_->conservative()) return;
  x_ = difference_ = Vector(x);
  a_ = a;
  time_ = t;
  valid_ = true;
}

}  // namespace stiffly
