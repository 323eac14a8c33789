#include "stiffly/integrators/explicit_runge_kutta.hpp"

namespace stiffly {

std::span<const ButcherTableau> explicit_tableaus() {
  static const ButcherTableau all[] = {
      {.traits = {.name = "forward-euler",
                  .family = "explicit",
                  .order = 1,
                  .summary = "explicit Euler; unstable without damping",
                  .reference = "Euler 1768"},
       .c = {0},
       .a = {{}},
       .b = {1},
       .b_hat = {}},
      {.traits = {.name = "explicit-midpoint",
                  .family = "explicit",
                  .order = 2,
                  .embedded_order = 1,
                  .summary = "Runge's midpoint rule with two force evaluations",
                  .reference = "Runge 1895"},
       .c = {0, 0.5},
       .a = {{}, {0.5}},
       .b = {0, 1},
       .b_hat = {1, 0}},
      {.traits = {.name = "rk4",
                  .family = "explicit",
                  .order = 4,
                  .summary = "classical Runge–Kutta, stable for hω < 2.83",
                  .reference = "Kutta 1901",
                  .oscillation_limit = 2.83,
                  .own_dense_output = true},
       .c = {0, 0.5, 0.5, 1},
       .a = {{}, {0.5}, {0, 0.5}, {0, 0, 1}},
       .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
       .b_hat = {}},
      {.traits = {.name = "dopri5",
                  .family = "explicit",
                  .order = 5,
                  .embedded_order = 4,
                  .summary = "Dormand–Prince 5(4), the usual explicit method with step control",
                  .reference = "Dormand & Prince 1980",
                  .oscillation_limit = 1,
                  .own_dense_output = true},
       .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
       .a = {{},
             {1.0 / 5},
             {3.0 / 40, 9.0 / 40},
             {44.0 / 45, -56.0 / 15, 32.0 / 9},
             {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
             {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
             {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
       .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
       .b_hat = {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40}}};
  return all;
}

Step ExplicitRungeKutta::step(const State& from, double h, bool want_error) {
  const auto& [traits, c, a, b, b_hat] = tableau_;
  const bool estimate = want_error && !b_hat.empty();
  Step result{State(from.time + h, from.y), {}, {}};
  if (estimate) result.error = Vector(from.y.size(), from.y.backend());
  std::vector<Vector> k;
  for (std::size_t i = 0; i < b.size(); ++i) {
    State stage(from.time + c[i] * h, from.y);
    for (std::size_t j = 0; j < a[i].size(); ++j)
      if (a[i][j] != 0) axpy(h * a[i][j], k[j], stage.y);
    const bool needed = b[i] != 0 || i + 1 < b.size() || estimate;
    if (!needed) break;
    k.emplace_back(from.y.size(), from.y.backend());
    system_->rate(stage, k.back());
    if (b[i] != 0) axpy(h * b[i], k.back(), result.state.y);
    if (estimate && b[i] != b_hat[i]) axpy(h * (b[i] - b_hat[i]), k.back(), *result.error);
  }
  return result;
}

std::vector<State> ExplicitRungeKutta::within(const State& from, const State& to,
                                              std::span<const double> times) {
  const std::size_t n = from.unknowns();
  const double h = to.time - from.time;
  Vector start_rate(from.y.size(), from.y.backend()), end_rate(start_rate);
  system_->rate(from, start_rate);
  system_->rate(to, end_rate);
  const auto a0 = start_rate.part(n, n), a1 = end_rate.part(n, n);
  std::vector<State> out;
  for (const double time : times) {
    const double s = (time - from.time) / h, r = 1 - s;
    State state(time, Vector(from.y.size(), from.y.backend()));
    const VectorView x = state.x(), v = state.v();
    axpy(r * r * r * (1 + s * (3 + 6 * s)), from.x(), x);
    axpy(s * s * s * (1 + r * (3 + 6 * r)), to.x(), x);
    axpy(h * s * r * r * r * (1 + 3 * s), from.v(), x);
    axpy(-h * r * s * s * s * (1 + 3 * r), to.v(), x);
    axpy(h * h / 2 * s * s * r * r * r, a0, x);
    axpy(h * h / 2 * r * r * s * s * s, a1, x);
    axpy(-30 / h * s * s * r * r, from.x(), v);
    axpy(30 / h * s * s * r * r, to.x(), v);
    axpy(r * r * (1 + s * (2 - 15 * s)), from.v(), v);
    axpy(s * s * (1 + r * (2 - 15 * r)), to.v(), v);
    axpy(h / 2 * s * r * r * (2 - 5 * s), a0, v);
    axpy(-h / 2 * r * s * s * (2 - 5 * r), a1, v);
    out.push_back(std::move(state));
  }
  return out;
}

}  // namespace stiffly
