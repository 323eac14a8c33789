#include "stiffly/integrators/contraction.hpp"

#include <algorithm>
#include <cmath>

namespace stiffly {
namespace {

constexpr int most_renewals = 15;  ///< before a factor is kept again
constexpr int most_corrections = 40;
constexpr double slow_contraction = 0.5;  ///< beyond which a factor is renewed
constexpr double distrust = 3;            ///< of the contraction seen
constexpr double diverging = 1e3;         ///< growth of the corrections from the first one
constexpr double negligible = 1e-11;      ///< of the velocities, where nothing contracts for round-off
constexpr double utmost = 1e-12;          ///< a tolerance that asks for all that round-off leaves

}  // namespace

bool Contraction::diverges(double correction) const {
  return !std::isfinite(correction) || (count_ > 0 && correction > diverging * first_);
}

// What is left, from how corrections contract (with some distrust), against what velocities are. It adds up
// from step to step, always to the same side: at the utmost tolerance corrections are made until round-off is
// all they do.
Contraction::Verdict Contraction::see(double correction, double unknown) {
  if (diverges(correction)) return Verdict::diverged;
  ++count_;
  if (count_ == 1) first_ = correction;
  const double contraction = count_ == 1 ? 1 : correction / last_;
  const double left =
      c_ * correction * (contraction < 0.75 ? std::min(1.0, distrust * contraction / (1 - contraction)) : 1);
  const double velocity = std::max(motion_, c_ * unknown);
  const bool slow = contraction > slow_contraction;
  if (correction == 0) return Verdict::converged;
  if (tolerance_ > utmost && left <= std::max(tolerance_ * velocity, floor_)) return Verdict::converged;
  if (count_ > 1 && slow && c_ * correction <= std::max(negligible * velocity, floor_))
    return Verdict::converged;
  if (count_ > 2 && slow && correction > slow_contraction * slow_contraction * before_last_)
    return Verdict::slow;
  before_last_ = last_;
  last_ = correction;
  return count_ == most_corrections ? Verdict::slow : Verdict::goes_on;
}

bool KeptFactor::begins_anew() {
  if (renewals_ == 0) return false;
  --renewals_;
  return true;
}

bool KeptFactor::still_serves(int corrections, bool fresh, double cost) {
  if (fresh) {
    fresh_corrections_ = corrections;
    wasted_ = 0;
    return true;
  }
  patience_ = 0;
  wasted_ += std::max(0, corrections - fresh_corrections_);
  return wasted_ <= cost;
}

void KeptFactor::failed(bool fresh) {
  if (fresh) return;  // what turns too fast for a kept factor will go on doing so
  patience_ = std::min(2 * patience_ + 1, most_renewals);
  renewals_ = patience_;
}

std::array<double, 4> KeptFactor::save() const {
  return {static_cast<double>(fresh_corrections_), wasted_, static_cast<double>(patience_),
          static_cast<double>(renewals_)};
}

void KeptFactor::restore(const std::array<double, 4>& saved) {
  fresh_corrections_ = static_cast<int>(saved[0]);
  wasted_ = saved[1];
  patience_ = static_cast<int>(saved[2]);
  renewals_ = static_cast<int>(saved[3]);
}

}  // namespace stiffly
