#include "stiffly/fibres/batch_iteration.hpp"

#include <cmath>

#include "stiffly/limits.hpp"

namespace stiffly {
namespace {

constexpr double factor_cost = 5;  ///< in corrections

}  // namespace

void FibreIteration::begin(double h, double tolerance, double speed, double distance) {
  h_ = h;
  start_ = Contraction(h / 2, tolerance, speed, 4 * epsilon * distance / h);
  corrections_ = start_;
  fresh_ = false;
  passes_ = 0;
  const bool serves = factor_step_ && std::abs(*factor_step_ - h) <= 1e-9 * h;
  if (factor_.begins_anew() || !serves) factor_step_.reset();
}

void FibreIteration::made_factor() {
  factor_step_ = h_;
  fresh_ = true;
  corrections_ = start_;
}

FibreIteration::Verdict FibreIteration::see(double correction, double acceleration) {
  const Contraction::Verdict verdict = corrections_.see(correction, acceleration);
  if (verdict == Contraction::Verdict::goes_on) return Verdict::goes_on;
  if (verdict == Contraction::Verdict::converged) {
    if (!factor_.still_serves(corrections_.count(), fresh_, factor_cost)) factor_step_.reset();
    return Verdict::converged;
  }
  factor_step_.reset();
  factor_.failed(fresh_);
  ++passes_;
  const bool diverged = verdict == Contraction::Verdict::diverged;
  if (passes_ == KeptFactor::most_in_a_solve || (diverged && fresh_)) return Verdict::failed;
  return diverged ? Verdict::restart : Verdict::renew;
}

}  // namespace stiffly
