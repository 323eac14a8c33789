#include "stiffly/phi/evaluator_choice.hpp"

#include <cmath>

namespace stiffly {
namespace {

/// The untried candidate may take this many times what the tried one took before it is given up.
constexpr double patience = 2.5;
/// The slower one is tried again after so many calls; each time twice as many if it was slower by more than
/// this factor. (What was measured once may have been disturbed.)
constexpr int look_again_after = 40;
constexpr double worth_looking = 2.0;

}  // namespace

EvaluatorChoice::Decision EvaluatorChoice::decide(const PhiRegime& regime, int guess) {
  Record& record = records_[regime];
  for (const int candidate : {guess, 1 - guess}) {
    const auto c = static_cast<std::size_t>(candidate), other = 1 - c;
    if (record.calls[c] > 0) continue;
    if (record.calls[other] > 0 && std::isfinite(record.seconds[other]))
      return {candidate, patience * record.seconds[other]};
    return {candidate, std::nullopt};
  }
  const int faster = record.seconds[0] <= record.seconds[1] ? 0 : 1;
  const auto f = static_cast<std::size_t>(faster);
  const bool close = record.seconds[1 - f] < worth_looking * record.seconds[f];
  if (++record.since_other > (close ? 1 : record.pauses) * look_again_after) {
    record.since_other = 0;
    record.pauses = close ? 1 : 2 * record.pauses;
    return {1 - faster, (close ? patience : 1) * record.seconds[f]};
  }
  return {faster, std::nullopt};
}

bool EvaluatorChoice::settled(const PhiRegime& regime) const {
  const auto found = records_.find(regime);
  return found != records_.end() && found->second.calls[0] > 0 && found->second.calls[1] > 0;
}

void EvaluatorChoice::learn(const PhiRegime& regime, int candidate, double seconds) {
  Record& record = records_[regime];
  const auto c = static_cast<std::size_t>(candidate);
  // The first call carries set-up (analysis, workspace): it is replaced by the second, later ones are
  // averaged in.
  const bool fresh = record.calls[c] < 2 || !std::isfinite(seconds) || !std::isfinite(record.seconds[c]);
  record.seconds[c] = fresh ? seconds : 0.8 * record.seconds[c] + 0.2 * seconds;
  ++record.calls[c];
}

}  // namespace stiffly
