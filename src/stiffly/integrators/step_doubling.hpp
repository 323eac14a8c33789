// A step and its error from steps of two lengths.
#pragma once

#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

/// Two steps of h/2, and as error their distance to one of h over 2^p − 1: adding it makes a result of order
/// p + 1 [Richardson].
Step doubled_step(Integrator& method, const State& from, double h);

}  // namespace stiffly
