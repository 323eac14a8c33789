#include "stiffly/contact/local_contact.hpp"

#include <algorithm>
#include <cmath>

namespace stiffly {
namespace {

constexpr int most_steps = 100;
constexpr double rounding = 1e-15;

}  // namespace

// With a = d − g where the step begins and b where it ends, U = κa³/(3d) where a > 0: the quotient of
// differences has no small denominator.
double MeanPush::push(double end) const {
  if (!averaged()) return law.push(taken_at(end));
  const double a = law.range - start, b = law.range - end, scale = law.stiffness / (3 * law.range);
  if (a <= 0 && b <= 0) return 0;
  if (a <= 0) return scale * b * b * b / (b - a);
  if (b <= 0) return scale * a * a * a / (a - b);
  return scale * (a * a + a * b + b * b);
}

double MeanPush::tangent(double end) const {
  if (!averaged()) return (step ? theta : 1) * law.tangent(taken_at(end));
  const double a = law.range - start, b = law.range - end, scale = law.stiffness / (3 * law.range);
  if (a <= 0 && b <= 0) return 0;
  if (a <= 0) return scale * b * b * (2 * b - 3 * a) / ((b - a) * (b - a));
  if (b <= 0) return scale * a * a * a / ((a - b) * (a - b));
  return scale * (a + 2 * b);
}

// d − c p(d) rises and is concave, and no root is below `right`: from there, Newton's method comes nearer
// from one side and never passes.
double MeanPush::solve(double right, double c) const {
  double gap = right;
  for (int i = 0; i < most_steps; ++i) {
    const double step_up = (right + c * push(gap) - gap) / (1 + c * tangent(gap));
    gap += step_up;
    if (!(step_up > rounding * (law.range + std::abs(gap)))) break;
  }
  return gap;
}

double grip(const FrictionLaw& law, double slip) { return law.coefficient / std::hypot(slip, law.speed); }

// The same: rising and concave, and friction takes at most c p μ.
double solve_slip(const FrictionLaw& law, double right, double push, double c) {
  const double held = c * push * law.coefficient;
  double slip = std::max(0.0, right - held);
  for (int i = 0; i < most_steps; ++i) {
    const double s = std::hypot(slip, law.speed), share = law.speed / s;
    const double step_up = (right - slip - held * slip / s) / (1 + held * share * share / s);
    slip += step_up;
    if (!(step_up > rounding * (law.speed + slip))) break;
  }
  return slip;
}

double gap_over_way(double change, double way, double range) {
  constexpr double enough = 1e-6;  // of the range
  if (std::abs(way) <= enough * range || way * change <= 0.5 * change * change) return 1;
  return change / way;
}

}  // namespace stiffly
