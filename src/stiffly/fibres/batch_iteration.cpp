#include "stiffly/fibres/batch_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiffly {
namespace {

constexpr int most_passes = 5;
constexpr int most_renewals = 15;     ///< before a factor is kept again
constexpr int most_corrections = 40;  ///< on one factor
constexpr double slow = 0.5;          ///< contraction beyond which a factor is renewed
constexpr double distrust = 3;        ///< of the contraction seen
constexpr double diverging = 1e3;     ///< growth of the corrections from the first one
constexpr double negligible = 1e-11;  ///< of the velocities, where nothing contracts for round-off
constexpr double roundoff = 4 * std::numeric_limits<double>::epsilon();
constexpr double factor_cost = 5;  ///< in corrections

}  // namespace

void FibreIteration::begin(double h, double tolerance, double speed, double distance) {
  h_ = h;
  tolerance_ = tolerance;
  speed_ = speed;
  floor_ = roundoff * distance / h;
  fresh_ = false;
  passes_ = count_ = 0;
  const bool serves = factor_step_ && std::abs(*factor_step_ - h) <= 1e-9 * h;
  if (!serves || renewals_ > 0) factor_step_.reset();
  if (renewals_ > 0) --renewals_;
}

void FibreIteration::made_factor() {
  factor_step_ = h_;
  fresh_ = true;
  count_ = 0;
}

FibreIteration::Verdict FibreIteration::see(double correction, double acceleration) {
  ++count_;
  if (count_ == 1) first_ = correction;
  const Verdict verdict = judge(correction, acceleration);
  before_last_ = last_;
  last_ = correction;
  if (verdict == Verdict::goes_on) return verdict;
  if (verdict == Verdict::converged) {
    judge_factor();
    return verdict;
  }
  factor_step_.reset();
  if (!fresh_) {  // what turns too fast for a kept factor will go on doing so
    patience_ = std::min(2 * patience_ + 1, most_renewals);
    renewals_ = patience_;
  }
  ++passes_;
  return passes_ == most_passes || (verdict == Verdict::restart && fresh_) ? Verdict::failed : verdict;
}

// What is left, from how corrections contract (with some distrust), against what velocities are.
FibreIteration::Verdict FibreIteration::judge(double correction, double acceleration) const {
  if (!std::isfinite(correction) || correction > diverging * first_) return Verdict::restart;
  const double c = h_ / 2;
  const double contraction = count_ == 1 ? 1 : correction / last_;
  const double left =
      c * correction * (contraction < 0.75 ? std::min(1.0, distrust * contraction / (1 - contraction)) : 1);
  const double velocity = std::max(speed_, c * acceleration);
  if (left <= std::max(tolerance_ * velocity, floor_)) return Verdict::converged;
  if (count_ > 1 && contraction > slow && c * correction <= negligible * velocity) return Verdict::converged;
  if (count_ > 2 && contraction > slow && correction > slow * slow * before_last_) return Verdict::renew;
  return count_ == most_corrections ? Verdict::renew : Verdict::goes_on;
}

void FibreIteration::judge_factor() {
  if (fresh_) {
    fresh_count_ = count_;
    wasted_ = 0;
    return;
  }
  patience_ = 0;
  wasted_ += std::max(0, count_ - fresh_count_);
  if (wasted_ > factor_cost) factor_step_.reset();
}

}  // namespace stiffly
