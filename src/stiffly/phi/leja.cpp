#include "stiffly/phi/leja.hpp"

#include <algorithm>
#include <cmath>

namespace stiffly {
namespace {

constexpr std::size_t pairs = 150;  // degree 300 at most

}  // namespace

std::span<const double> leja_points() {
  static const std::vector<double> points = [] {
    constexpr int grid = 20000;
    std::vector<double> log_product(grid + 1), xi;
    for (int i = 0; i <= grid; ++i) log_product[static_cast<std::size_t>(i)] = std::log(2.0 * i / grid);
    for (std::size_t k = 0; k < pairs; ++k) {
      const auto best = std::max_element(log_product.begin(), log_product.end()) - log_product.begin();
      xi.push_back(2.0 * static_cast<double>(best) / grid);
      for (int i = 0; i <= grid; ++i) {
        const double x = 2.0 * i / grid;
        log_product[static_cast<std::size_t>(i)] += std::log(std::abs(x * x - xi.back() * xi.back()));
      }
    }
    return xi;
  }();
  return points;
}

// Multiplication by z maps β_{i−1} to β_i, and β_{2k} also to −ξ_k² β_{2k−1}: a real matrix Z, and the
// coefficients are exp(γZ)e_0. Taylor steps with ‖Z‖γ/steps ≤ 1 give them to ε of the largest, which divided
// differences by their table would not [McCurdy, Ng & Parlett 1984].
std::vector<double> newton_coefficients(double gamma, std::size_t count) {
  const auto xi = leja_points();
  count = std::min(count | 1, 2 * xi.size() + 1);  // whole pairs
  std::vector<double> d(count, 0.0), term(count), next(count);
  d[0] = 1;
  const int steps = std::max(1, static_cast<int>(std::ceil(5 * gamma)));
  for (int step = 0; step < steps; ++step) {
    term = d;
    for (int k = 1; k <= 18; ++k) {
      const double factor = gamma / steps / k;
      next[0] = 0;
      for (std::size_t i = 1; i < count; ++i) next[i] = factor * term[i - 1];
      for (std::size_t i = 1; i + 1 < count; i += 2) next[i] -= factor * xi[i / 2] * xi[i / 2] * term[i + 1];
      term.swap(next);
      for (std::size_t i = 0; i < count; ++i) d[i] += term[i];
    }
  }
  return d;
}

/// Degree m = z + x z^{1/3} with exp(−0.94 x^{3/2}) = tolerance, as for the Bessel functions of the Chebyshev
/// series, solved for m = 270, so that enough pairs are left to see the convergence.
double Leja::reach(double tolerance) const {
  const double x = std::pow(std::log(1 / std::clamp(tolerance, 1e-20, 0.1)) / 0.94, 2.0 / 3);
  constexpr double degree = 270;
  double z = degree;
  for (int i = 0; i < 20; ++i) z = degree - x * std::cbrt(z);
  return z;
}

// w = β_{2k−1}(Â)u and y = Âw = β_{2k}(Â)u are the two terms of pair k; Ây + ξ_k² w is the w of the next.
// Here Â = (τ/γ)Ã has its spectrum in i[−2, 2]. Error: what the last two pairs added.
SteppingEvaluator::Substep Leja::advance(const CountedOperator& J, const AugmentedOperator& A,
                                         const AugmentedVector& u, double tau, double z,
                                         PhiTolerance tolerance) {
  const auto xi = leja_points();
  const double gamma = std::max(1.0, z) / 2, unit = tau / gamma;
  const std::size_t count = std::min(2 * pairs + 1, static_cast<std::size_t>(3 * gamma) + 61);
  if (gamma != coefficients_for_) {
    coefficients_ = newton_coefficients(gamma, count);
    coefficients_for_ = gamma;
  }
  const std::vector<double>& d = coefficients_;

  Substep s;
  s.value = A.zero();
  axpby(d[0], u, 0, s.value);
  AugmentedVector w = A.zero(), y = A.zero(), Ay = A.zero();
  J.track(true);
  A.apply(u, Ay);
  axpby(unit, Ay, 0, w);
  s.largest_term = J.argument_norm();
  double before = 0, size = -1;
  for (std::size_t k = 1; 2 * k < d.size(); ++k) {
    A.apply(w, Ay);
    axpby(unit, Ay, 0, y);
    const double first = std::abs(d[2 * k - 1]) * J.argument_norm();
    axpby(d[2 * k - 1], w, 1, s.value);
    axpby(d[2 * k], y, 1, s.value);
    A.apply(y, Ay);
    const double second = std::abs(d[2 * k]) * J.argument_norm();
    axpby(unit, Ay, xi[k - 1] * xi[k - 1], w);
    s.largest_term = std::max({s.largest_term, first, second});
    s.degree = static_cast<int>(2 * k);
    if (!std::isfinite(first + second)) break;
    const double rest = first + second + before;
    before = first + second;
    // Before degree z small terms mean nothing: eigenvalues that happen to lie at the first points hide
    // there.
    if (2 * k < A.p() + 3 || static_cast<double>(2 * k) < z) continue;
    if (!s.settled(J, rest, tolerance, size)) continue;
    if (2 * k + 1 < d.size()) axpby(d[2 * k + 1], w, 1, s.value);  // it is there already
    break;
  }
  s.end(J, std::move(w));
  return s;
}

}  // namespace stiffly
