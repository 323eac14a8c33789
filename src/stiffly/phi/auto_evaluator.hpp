// The evaluator that picks one of the others.
#pragma once

#include <functional>

#include "stiffly/phi/dense.hpp"
#include "stiffly/phi/evaluator_choice.hpp"
#include "stiffly/phi/phipm.hpp"
#include "stiffly/phi/rational.hpp"

namespace stiffly {

/// Dense for tiny systems; else polynomial (phipm_simul_iom2) or rational, whichever takes less time at this
/// step and tolerance. A polynomial evaluation needs about hρ products, a rational one some tens of solves
/// whatever hρ is (FINDINGS: neither wins always), so the two are timed on the calls that come. Where one
/// refuses, the other is asked. report.evaluator names who did it.
class AutoEvaluator final : public PhiEvaluator {
 public:
  /// Systems up to this many rows are exponentiated whole.
  static constexpr std::size_t dense_up_to = 40;

  /// Seconds since some moment.
  using Clock = std::function<double()>;

  AutoEvaluator();
  explicit AutoEvaluator(Clock clock);
  std::string name() const override { return "auto"; }
  PhiResult solve(const Task& task) override;

 private:
  double seconds_of_a_product(const LinearOperator& A) const;
  /// Calls the candidate within the budget; nothing if it refused.
  std::optional<PhiResult> timed_call(int candidate, const PhiRegime& regime, std::optional<double> budget,
                                      const Task& task);

  Clock clock_;
  DenseEvaluator dense_;
  Phipm polynomial_;
  Rational rational_;
  EvaluatorChoice choice_;
  double radius_ = 0;           ///< of the spectrum, as last asked for
  double product_seconds_ = 0;  ///< of one product, least seen
  double solve_seconds_ = 0;    ///< of one solve, all else of a rational call included
};

}  // namespace stiffly
