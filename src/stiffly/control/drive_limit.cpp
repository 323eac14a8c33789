#include "stiffly/control/drive_limit.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/control/tuning.hpp"

namespace stiffly {
namespace {

constexpr int most_looks = 256, fewest_looks = 18;  ///< over a run; over a step, at least

}  // namespace

DriveLimit::DriveLimit(const SecondOrderSystem& system, double start, double duration)
    : system_(&system), duration_(duration) {
  if (duration == 0) return;
  std::vector<double> low = system.drives(start), high = low;
  for (int i = 1; i <= most_looks && !low.empty(); ++i) {
    const std::vector<double> now = system.drives(start + duration * i / most_looks);
    for (std::size_t j = 0; j < now.size(); ++j)
      low[j] = std::min(low[j], now[j]), high[j] = std::max(high[j], now[j]);
  }
  // What stands still but for rounding does not change.
  for (std::size_t j = 0; j < low.size(); ++j)
    unseen_.push_back(std::max(tuning::drive_part * (high[j] - low[j]),
                               tuning::still * std::max(std::abs(low[j]), std::abs(high[j]))));
}

// The cubic through the values at s = 0, 1/3, 2/3 and 1. [Lagrange]
bool DriveLimit::follows(double time, double h) const {
  const int looks =
      std::clamp(static_cast<int>(std::ceil(most_looks * h / duration_)), fewest_looks, most_looks);
  const auto at = [&](double s) { return system_->drives(time + s * h); };
  const std::vector<double> a = at(0), b = at(1.0 / 3), c = at(2.0 / 3), d = at(1);
  for (int i = 1; i < looks; ++i) {
    const double s = static_cast<double>(i) / looks, u = 3 * s;
    const double wa = -(u - 1) * (u - 2) * (u - 3) / 6, wb = u * (u - 2) * (u - 3) / 2,
                 wc = -u * (u - 1) * (u - 3) / 2, wd = u * (u - 1) * (u - 2) / 6;
    const std::vector<double> now = at(s);
    for (std::size_t j = 0; j < unseen_.size(); ++j)
      if (std::abs(wa * a[j] + wb * b[j] + wc * c[j] + wd * d[j] - now[j]) > unseen_[j]) return false;
  }
  return true;
}

bool DriveLimit::jumps(double time, double h) const {
  const double reach = 1.5 * SecondOrderSystem::time_difference(time);
  if (unseen_.empty() || h > 100 * reach) return false;
  const std::vector<double> before = system_->drives(time - reach), after = system_->drives(time + h + reach);
  for (std::size_t j = 0; j < unseen_.size(); ++j)
    if (std::abs(after[j] - before[j]) > unseen_[j]) return true;
  return false;
}

double DriveLimit::longest_step(double time, double h) {
  constexpr int ahead = 8;  // steps, for which one look serves
  if (unseen_.empty() || (time >= followed_from_ && time + h <= followed_to_)) return h;
  if (follows(time, ahead * h)) {
    followed_from_ = time;
    followed_to_ = time + ahead * h;
    return h;
  }
  while (h > tuning::jump_step * duration_ && !follows(time, h)) h /= 2;
  return h;
}

}  // namespace stiffly
