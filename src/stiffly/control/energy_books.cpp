#include "stiffly/control/energy_books.hpp"

#include <numeric>

#include "stiffly/control/dense_output.hpp"

namespace stiffly {

double EnergyTotals::all_dissipated() const {
  return std::accumulate(dissipated.begin(), dissipated.end(), 0.0);
}

EnergyBooks::EnergyBooks(const SecondOrderSystem& system) : system_(system), needed_(needed(system)) {
  totals_.dissipated.assign(system.dissipators().size(), 0.0);
}

void EnergyBooks::resume(EnergyTotals totals, const State& state) {
  totals_ = std::move(totals);
  last_ = state;
  if (needed_) flow_ = system_.energy_flow(state);
}

// h/6 (f(t) + 4 f(t + h/2) + f(t + h))
void EnergyBooks::see(const State& state) {
  if (!needed_ || (!last_.y.empty() && state.time == last_.time)) return;
  EnergyFlow now = system_.energy_flow(state);
  if (!last_.y.empty()) {
    const double h = state.time - last_.time;
    const EnergyFlow middle = system_.energy_flow(interpolate(last_, state, last_.time + 0.5 * h));
    const auto add = [h](double& sum, double a, double b, double c) { sum += h / 6 * (a + 4 * b + c); };
    add(totals_.supports, flow_.supports, middle.supports, now.supports);
    add(totals_.fields, flow_.fields, middle.fields, now.fields);
    for (std::size_t i = 0; i < totals_.dissipated.size(); ++i)
      add(totals_.dissipated[i], flow_.dissipated[i], middle.dissipated[i], now.dissipated[i]);
  }
  flow_ = std::move(now);
  last_ = state;
}

}  // namespace stiffly
