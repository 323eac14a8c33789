#include "stiffly/control/energy_books.hpp"

#include <cmath>
#include <numeric>

#include "stiffly/control/dense_output.hpp"
#include "stiffly/system/mean_dissipation.hpp"

namespace stiffly {

double EnergyTotals::all_dissipated() const {
  return std::accumulate(dissipated.begin(), dissipated.end(), contact.value_or(0));
}

double EnergyBooks::Damper::believed(double by_rates, double by_ends) {
  constexpr double fading = 0.8, far_more = 1.5;
  rates_ = fading * rates_ + std::abs(by_rates);
  ends_ = fading * ends_ + std::abs(by_ends);
  return rates_ > far_more * ends_ ? by_ends : by_rates;
}

EnergyBooks::EnergyBooks(const SecondOrderSystem& system)
    : system_(&system), needed_(needed(system)), balance_(system) {
  totals_.dissipated.assign(system.dissipators().size(), 0.0);
  dampers_.resize(totals_.dissipated.size());
}

void EnergyBooks::resume(EnergyTotals totals, const State& state) {
  totals_ = std::move(totals);
  last_ = state;
  origin_ = Vector(state.x());
  if (!needed_) return;
  flow_ = system_->energy_flow(state);
  supports_ = balance_.at(state);
}

// h/6 (f(t) + 4 f(t + h/2) + f(t + h))
void EnergyBooks::see(const State& state, bool vibrations) {
  if (!needed_ || (!last_.y.empty() && state.time == last_.time)) return;
  EnergyFlow now = system_->energy_flow(state);
  const auto now_supports = balance_.at(state);
  if (!last_.y.empty()) {
    const double h = state.time - last_.time;
    const State between = interpolate(last_, state, last_.time + 0.5 * h);
    const EnergyFlow middle = system_->energy_flow(between);
    // Where the middle makes much of a difference, there is more within the step than a cubic tells.
    // Interpolated, it may be behind a barrier.
    const auto add = [&](double& sum, double a, double b, double c) {
      if (!std::isfinite(b)) b = (a + c) / 2;
      sum += h / 6 * (a + 4 * b + c);
      if (vibrations) totals_.unresolved += std::abs(h / 6 * (4 * b - 2 * (a + c)));
    };
    if (const auto half = balance_.at(between); half && supports_ && now_supports) {
      add(totals_.supports, supports_->rate, half->rate, now_supports->rate);
      totals_.supports += now_supports->carried - supports_->carried;
    } else {
      add(totals_.supports, flow_.supports, middle.supports, now.supports);
    }
    add(totals_.fields, flow_.fields - field_rate(last_.time), middle.fields - field_rate(between.time),
        now.fields - field_rate(state.time));
    totals_.fields += system_->field_energy(state.time, origin_) - system_->field_energy(last_.time, origin_);
    const std::vector<double> mean = mean_dissipation(*system_, last_, state);
    for (std::size_t i = 0; i < totals_.dissipated.size(); ++i) {
      double taken = 0;
      add(taken, flow_.dissipated[i], middle.dissipated[i], now.dissipated[i]);
      totals_.dissipated[i] += mean.empty() ? taken : dampers_[i].believed(taken, h * mean[i]);
    }
  }
  if (last_.y.empty()) origin_ = Vector(state.x());
  flow_ = std::move(now);
  supports_ = now_supports;
  last_ = state;
}

// By the differences of `energy_flow`, whose error is then that of the motion since, not of all the field
// gives.
double EnergyBooks::field_rate(double time) const {
  const double delta = SecondOrderSystem::time_difference(time);
  return (system_->field_energy(time + delta, origin_) - system_->field_energy(time - delta, origin_)) /
         (2 * delta);
}

void EnergyBooks::forget() {
  dampers_.assign(dampers_.size(), {});
  origin_ = Vector(last_.x());
}

EnergyTransfer EnergyBooks::transfer(const State& state) {
  const EnergyTotals before = totals_;
  see(state);
  EnergyTransfer out{totals_.supports - before.supports + totals_.fields - before.fields, 0};
  for (std::size_t i = 0; i < before.dissipated.size(); ++i) {
    const double taken = totals_.dissipated[i] - before.dissipated[i];
    out.work -= taken;
    out.moved += std::abs(taken);
  }
  return out;
}

}  // namespace stiffly
