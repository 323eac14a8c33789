// How fast the fastest oscillation of a system is.
#pragma once

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// Of the first-order system, linearised there, in 1/s: some tens of products. Not a number where none is
/// known.
double spectral_radius(const SecondOrderSystem& system, const State& at);

}  // namespace stiffly
