// What dampers take in a step by where it begins and ends alone.
#pragma once

#include <vector>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// W, by each of the system's dissipators, at the mean position and the mean velocity (x₁ − x₀)/h of a step:
/// dampers beside stiff links are strong, and velocities at the ends of a step that turns them have a part
/// along them that is not there in between. With the mean ones a link changes its length at the rate (l₁² −
/// l₀²)/2hl, whatever it turned by. Empty for systems that are not of particles.
std::vector<double> mean_dissipation(const SecondOrderSystem& system, const State& from, const State& to);

}  // namespace stiffly
