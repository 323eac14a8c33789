// Shift-and-invert Krylov evaluation of φ-functions: the cost does not depend on the stiffness.
#pragma once

#include "stiffly/phi/evaluator.hpp"
#include "stiffly/phi/shift_invert_space.hpp"

namespace stiffly {

class ShiftInvertProjection;

struct RationalOptions {
  double pole = 0.03;     ///< γ as a fraction of the (sub)step
  int max_basis = 100;    ///< spaces that would have to be larger are replaced by substeps
  int max_solves = 2000;  ///< more are refused, as soon as that is foreseen
};

/// w(c) from Krylov spaces of (I − γhJ)⁻¹ instead of hJ [Moret & Novati 2004; van den Eshof & Hochbruck 2006;
/// for φ-functions Göckler & Grimm 2013]: one factorisation (shared by calls with the same operator and
/// similar steps), one solve per dimension, one space for all b_j and outputs.
///
/// Needs an operator with `can_shift_invert`. Oscillations of hω ≲ 1/γ are resolved to any tolerance; faster
/// ones are where they are damped by φ_1, φ_2, … or small in b_0. Otherwise substeps follow them, up to
/// `max_solves`.
class Rational final : public EstimatingEvaluator {
 public:
  explicit Rational(RationalOptions options = {}) : options_(options) {}
  std::string name() const override { return "rational"; }
  RationalOptions& options() { return options_; }

 protected:
  PhiResult attempt(const Task& task) override;

 private:
  struct Run;
  struct Found;
  void factorize(Run& run, double pole);
  Found grow_space(Run& run, double length);
  Found states_up_to(const Run& run, const ShiftInvertProjection& projection, double length) const;
  void refuse_beyond_roundoff(const Run& run, double roundoff, double bound) const;
  void refuse_if_endless(const Run& run, int solves_of_a_substep) const;
  void take_over(Run& run, const Found& found);

  RationalOptions options_;
  std::unique_ptr<ShiftedInverse> inverse_;  // solves while the operator it was made from is in use; then
                                             // only its symbolic analysis and memory are used again
  OperatorId made_from_;
  double shift_ = 0;  // σ = γh of inverse_
  ShiftInvertSpace space_;
  int usual_basis_ = 0;  // of the last space: convergence is not looked for much earlier
};

}  // namespace stiffly
