// States between the ends of a step, where a method does not know them itself.
#pragma once

#include <span>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// At a time between those of `a` and `b`: the cubic with their positions and velocities, and its derivative
/// [Hermite]. Fourth order in the positions where the motion is resolved.
State interpolate(const State& a, const State& b, double time);

/// The same, unless the velocities carry vibrations that are far faster than the step: methods that keep them
/// have them end at any phase, and the cubic would make h·v of what is v/ω. The states before `a`, newest
/// first, tell: where the cubic differs from the polynomial through positions alone (the last two of them are
/// used) by more than that one does from the polynomial with one position less, positions alone are believed.
State interpolate(const State& a, const State& b, std::span<const State* const> before, double time);

}  // namespace stiffly
