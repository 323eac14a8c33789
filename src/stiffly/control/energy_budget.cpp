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
                           bool gain_counts, const std::optional<EnergyTransfer>& transfer) const {
  const double gain = gain_counts ? scale.energy_gain(before, after) / (tuning::energy_part * tolerance_) : 0;
  if (!kept_ && !transfer) return gain;
  const auto [work, moved] = transfer.value_or(EnergyTransfer{});
  const double drift = std::abs(before - reference_);
  const double change = std::abs(after - work - reference_) - drift - scale.energy_roundoff(before);
  if (!(change > 0)) return gain;
  const double in_motion = 0.5 * scale.speed() * scale.speed();
  const double passed = std::min(1.0, (time - start_time_) / duration_);
  const double allowed = 0.5 * tolerance_ * (in_motion * (1 + passed) + moved_ + moved) - drift;
  // It may be used up: steps then change the energy at the rate at which the budget grows, and by as much of
  // what comes and goes in them. Each would otherwise use a part of what the last one left, without end.
  const double growth = 0.5 * tolerance_ * (in_motion * h / duration_ + moved + std::abs(work));
  return std::max(gain, change / std::max(allowed, growth));
}

EnergyBudget::Outlook EnergyBudget::outlook(double h, double share) {
  if (rejected_.count++ == 0) rejected_ = {1, h, share};
  const double cut = h / rejected_.h, left = share / (tuning::hopeless_share * rejected_.share);
  if (cut >= tuning::hopeless_cut) return Outlook::open;
  if (left > 1) return Outlook::hopeless;
  return !kept_ && left > cut ? Outlook::unaccounted : Outlook::open;
}

void EnergyBudget::accept_loss(double before, double after, const std::optional<EnergyTransfer>& transfer) {
  const auto [work, moved] = transfer.value_or(EnergyTransfer{});
  lost_ += before + work - after;
  moved_ += moved;
  reference_ = after;
  rejected_ = {};
}

void EnergyBudget::accept(double before, double after, const std::optional<EnergyTransfer>& transfer) {
  if (transfer)
    reference_ += transfer->work, moved_ += transfer->moved;
  else if (!kept_)
    reference_ += after - before;
  rejected_ = {};
}

}  // namespace stiffly
