#include "stiffly/integrators/step_doubling.hpp"

#include <cmath>

namespace stiffly {

Step doubled_step(Integrator& method, const State& from, double h) {
  const Step whole = method.step(from, h, false);
  Step half = method.step(from, h / 2, false);
  Step result = method.step(half.state, h / 2, false);
  result.state.time = from.time + h;
  result.phi += half.phi;
  result.phi += whole.phi;
  result.error = result.state.y;
  axpy(-1.0, whole.state.y, *result.error);
  result.middle = std::move(half.state);
  scale(1 / (std::exp2(method.traits().order) - 1), *result.error);
  return result;
}

}  // namespace stiffly
