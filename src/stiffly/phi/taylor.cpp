#include "stiffly/phi/taylor.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/limits.hpp"

namespace stiffly {

/// The z that maximises z/m, where m is the smallest degree with
///   z^{m+1}/(m+1)! · 1/(1 − z/(m+2)) ≤ tolerance,
/// among those whose largest term, below e^z, leaves the tolerance above round-off. (The θ_m of Al-Mohy &
/// Higham bound the backward error of double precision; here the forward error, for any tolerance.)
double Taylor::reach(double tolerance) const {
  double best = 0.5, best_ratio = 0;
  for (double z = 0.5; z < options_.max_degree / 2.0; z *= 1.1) {
    if (z > 0.5 && epsilon * std::exp(z) > 0.1 * tolerance) break;
    double term = z;  // z^{m+1}/(m+1)!
    int m = 0;
    while (m < options_.max_degree && (m + 2 <= z || term / (1 - z / (m + 2)) > tolerance)) {
      ++m;
      term *= z / (m + 1);
    }
    if (m == options_.max_degree) break;
    if (z / m > best_ratio) best = z, best_ratio = z / m;
  }
  return best;
}

// t_k = τÃ t_{k−1}/k. The product that makes t_k tells ‖t_{k−1}‖. From then on terms shrink by z²/(k(k+1))
// every two steps (two, because in (x,v) even and odd terms may differ in size by a factor ω), so that
//   ‖Σ_{l>k} t_l‖ ≤ max(‖t_{k−1}‖ z/k, ‖t_{k−2}‖ z²/(k(k−1))) · ζ/(1−ζ),   ζ = z/(k+1).
SteppingEvaluator::Substep Taylor::advance(const CountedOperator& J, const AugmentedOperator& A,
                                           const AugmentedVector& u, double tau, double z,
                                           PhiTolerance tolerance) {
  Substep s;
  s.value = u;
  AugmentedVector term = u, work = A.zero();
  const int forced = static_cast<int>(A.p()) + 1;  // up to here b_j still enter
  double norms[3] = {0, 0, 0};                     // ‖t_{k−1}‖, ‖t_{k−2}‖, ‖t_{k−3}‖
  double size = -1;                                // ‖value‖, once looked at
  J.track(true);
  for (int k = 1; k <= options_.max_degree; ++k) {
    A.apply(term, work);
    axpby(tau / k, work, 0, term);
    axpby(1, term, 1, s.value);
    norms[2] = norms[1], norms[1] = norms[0], norms[0] = J.argument_norm();
    s.largest_term = std::max(s.largest_term, norms[0]);
    s.degree = k;
    if (!std::isfinite(norms[0])) break;
    if (k <= forced + 1) continue;
    // The estimate of ρ may have been too small: the terms show the true rate.
    if (norms[2] > 0 && k > forced + 3)
      z = std::max(z, std::sqrt((k - 1.0) * (k - 2.0) * norms[0] / norms[2]));
    const double zeta = z / (k + 1);
    if (zeta > 0.9) continue;
    const double rest = std::max(norms[0] * z / k, norms[1] * z * z / (k * (k - 1.0))) * zeta / (1 - zeta);
    if (s.settled(J, rest, tolerance, size)) break;
  }
  s.end(J, std::move(term));
  return s;
}

}  // namespace stiffly
