#include "stiffly/control/stability_limit.hpp"

#include <limits>

#include "stiffly/control/tuning.hpp"
#include "stiffly/system/spectral_radius.hpp"

namespace stiffly {

StabilityLimit::StabilityLimit(const SecondOrderSystem& system, const IntegratorTraits& traits)
    : system_(&system), oscillation_(traits.oscillation_limit.value_or(0)) {
  if (!traits.embedded_order) oscillation_ *= 2;  // what is kept are two steps of half the length
}

double StabilityLimit::longest_step(const State& from) {
  if (oscillation_ == 0) return std::numeric_limits<double>::infinity();
  if (steps_++ % tuning::radius_lifetime == 0)
    longest_ = tuning::stability_margin * oscillation_ / spectral_radius(*system_, from);
  return longest_;
}

}  // namespace stiffly
