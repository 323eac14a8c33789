#include "stiffly/integrators/runge_kutta4.hpp"

namespace stiffly {

IntegratorTraits RungeKutta4::info() {
  return {.name = "rk4",
          .family = "explicit",
          .order = 4,
          .embedded_order = {},
          .summary = "classical Runge–Kutta, stable for hω < 2.83",
          .reference = "Kutta 1901",
          .uses_evaluator = false};
}

Step RungeKutta4::step(const State& from, double h, bool) {
  Step result{State(from.time + h, from.y), {}, {}};
  State stage = from;
  Vector k(from.y.size(), from.y.backend());
  constexpr double weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  constexpr double node[] = {0.0, 0.5, 0.5, 1.0};
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {  // y + c_i h k_{i−1}
      axpby(node[i] * h, k, 0.0, stage.y);
      axpy(1.0, from.y, stage.y);
      stage.time = from.time + node[i] * h;
    }
    system_->rate(stage, k);
    axpy(weight[i] * h, k, result.state.y);
  }
  return result;
}

}  // namespace stiffly
