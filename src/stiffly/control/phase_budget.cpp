#include "stiffly/control/phase_budget.hpp"

#include "stiffly/control/tuning.hpp"
#include "stiffly/limits.hpp"

namespace stiffly {

PhaseBudget::PhaseBudget(const SecondOrderSystem& system, const IntegratorTraits& method, double duration,
                         double tolerance) {
  const bool stay = system.passive() && system.conservative();
  const bool own = method.embedded_order.value_or(method.order + 1) > method.order;
  rate_ = stay && own && !method.l_stable ? tuning::added_errors * tolerance / duration : infinite;
}

double PhaseBudget::share(double error, double h) const { return error / (rate_ * h); }

}  // namespace stiffly
