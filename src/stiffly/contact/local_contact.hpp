// The laws of contact as equations of one contact by itself.
#pragma once

#include "stiffly/contact/repulsion_law.hpp"

namespace stiffly {

/// What U pushes with over a step between two gaps, p = −ΔU/Δg; over a stage, or with θ ≠ ½, −U' at one gap.
/// It falls as the gap where the step ends grows, and is convex in it.
struct MeanPush {
  RepulsionLaw law;
  bool step = false;
  double theta = 0.5, start = 0;  ///< start: the gap where the step begins

  double push(double end) const;
  /// −∂p/∂end
  double tangent(double end) const;
  /// The gap d with  d − c p(d) = right, where things give way by c ≥ 0 to a force of 1.
  double solve(double right, double c) const;

 private:
  bool averaged() const { return step && theta == 0.5; }
  double taken_at(double end) const { return step ? (1 - theta) * start + theta * end : end; }
};

/// The change of a gap over a step, over what things move along its normal: with it, what a push does is what
/// U loses. 1 where both are too small to tell, or say different things.
double gap_over_way(double change, double way, double range);

/// μ/√(s² + v₀²): times the push and a slip of length s it is the friction.
double grip(const FrictionLaw& law, double slip);
/// The length s of the slip with  (1 + c p grip(s)) s = right.
double solve_slip(const FrictionLaw& law, double right, double push, double c);

}  // namespace stiffly
