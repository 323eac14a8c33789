#include "stiffly/system/spectral_radius.hpp"

#include <cmath>

#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly {

double spectral_radius(const SecondOrderSystem& system, const State& at) {
  Tangent tangent;
  system.tangent(at.time, at.x(), at.v(), tangent);
  return OscillatorJacobian(system.mass(), tangent, 0, system.counters())
      .spectral_bound()
      .value_or(std::nan(""));
}

}  // namespace stiffly
