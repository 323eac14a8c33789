#include "stiffly/control/energy_budget.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/control/tuning.hpp"

namespace stiffly {

EnergyBudget::EnergyBudget(const SecondOrderSystem& system, const State& start, double energy,
                           double duration, double tolerance)
    : kept_(system.passive() && system.conservative()),
      start_time_(start.time),
      duration_(duration),
      tolerance_(tolerance),
      reference_(energy) {}

double EnergyBudget::share(const MotionScale& scale, double before, double after, double time, double h,
                           bool gain_counts) const {
  const double gain = gain_counts ? scale.energy_gain(before, after) / (tuning::energy_part * tolerance_) : 0;
  if (!kept_) return gain;
  const double drift = std::abs(before - reference_);
  const double change = std::abs(after - reference_) - drift - scale.energy_roundoff();
  if (!(change > 0)) return gain;
  const double in_motion = 0.5 * scale.speed() * scale.speed();
  const double passed = std::min(1.0, (time - start_time_) / duration_);
  const double allowed = tolerance_ * in_motion * 0.5 * (1 + passed) - drift;
  // Rounding may have used it up: steps then change the energy at the rate at which the budget grows.
  const double growth = 0.5 * tolerance_ * in_motion * h / duration_;
  return std::max(gain, change / std::max(allowed, growth));
}

bool EnergyBudget::hopeless(double h, double share) {
  if (rejected_.count++ == 0) rejected_ = {1, h, share};
  return h < tuning::hopeless_cut * rejected_.h && share > tuning::hopeless_share * rejected_.share;
}

void EnergyBudget::accept_loss(double before, double after) {
  lost_ += before - after;
  reference_ = after;
  rejected_ = {};
}

}  // namespace stiffly
