// Evaluators that walk from output to output in substeps, with one polynomial of the augmented matrix each.
#pragma once

#include "stiffly/phi/augmented.hpp"
#include "stiffly/phi/evaluator.hpp"
#include "stiffly/phi/spectrum.hpp"

namespace stiffly {

/// Lengths of substeps, tolerance per substep, and how errors accumulate. A polynomial (`advance`) and the
/// substep at which it is most efficient (`reach`) are all that differ.
class SteppingEvaluator : public EstimatingEvaluator {
 protected:
  explicit SteppingEvaluator(int max_products) : max_products_(max_products) {}

  struct Substep {
    AugmentedVector value;  ///< exp(τÃ)u; the small part is not needed
    Vector last_term;       ///< the direction of the truncation error
    double last_term_norm = 0;
    double norm = 0;          ///< ‖value‖
    double truncation = 0;    ///< bound on ‖what was left out‖
    double largest_term = 0;  ///< of all terms summed: ε times this is lost to round-off
    int degree = 0;
    bool converged = false;

    /// Whether terms of the size `rest` may be left out; if so, it has converged. `size` is ‖value‖ as it was
    /// last looked at, negative before that: norms are only taken where the terms seen make it likely.
    bool settled(const CountedOperator& J, double rest, PhiTolerance tolerance, double& size);
    /// After the last term.
    void end(const CountedOperator& J, AugmentedVector term);
  };

  /// The z = τhρ with the fewest products per z at this (relative) tolerance.
  virtual double reach(double tolerance) const = 0;
  /// exp(τÃ)u to an error of max(relative ‖value‖, absolute); z = τhρ. J is the operator Ã was made from.
  virtual Substep advance(const CountedOperator& J, const AugmentedOperator& A, const AugmentedVector& u,
                          double tau, double z, PhiTolerance tolerance) = 0;

  PhiResult attempt(const Task& task) final;

 private:
  class Walk;

  int max_products_;
};

}  // namespace stiffly
