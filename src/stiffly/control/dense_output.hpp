// States between the ends of a step.
#pragma once

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// At a time between those of `a` and `b`: the cubic with their positions and velocities, and its derivative
/// [Hermite]. Fourth order in the positions where the motion is resolved; fast vibrations within a long step
/// it does not know.
State interpolate(const State& a, const State& b, double time);

}  // namespace stiffly
