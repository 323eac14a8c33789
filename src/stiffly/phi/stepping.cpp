#include "stiffly/phi/stepping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiffly {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

// The error of a substep travels on with the flow. Where the flow cannot enlarge it (skew or damped in the
// operator's inner product) norms are added up. Elsewhere an error vector travels along: it is advanced like
// the solution, to one digit, and each substep adds its truncation error in the direction of the last term
// and its round-off in a random one. Doubles the products, and sees every kind of growth.
PhiResult SteppingEvaluator::attempt(const Task& task) {
  const CountedOperator J(task.jacobian, name(), max_products_);
  const Spectrum spectrum = estimate_spectrum(J);
  const AugmentedOperator A(J, task.step, task.b);
  const ConstVectorView nothing[] = {{}};
  const AugmentedOperator homogeneous(J, task.step, nothing);

  const double total = task.last_node();
  const double z_total = total * task.step * spectrum.rate;
  const double exponent = std::max(0.0, J.skew() ? 0.0 : spectrum.abscissa * task.step);  // per unit of c
  const bool growing = exponent * total > 0.7;

  // Half the tolerance for truncation, each substep its share.
  const double wish = 0.5 * std::max(task.relative, task.absolute);
  const double share = wish / std::max(1.0, z_total / 10);
  double longest = z_total > 0 ? total * (reach(share) / z_total) : total;

  PhiResult result;
  PhiReport& report = result.report;
  AugmentedVector u = A.start();
  AugmentedVector error = growing ? homogeneous.zero() : AugmentedVector{};
  double error_norm = 0, lost_so_far = 0, u_norm = J.norm_of(u.large), t = 0;
  for (const double node : task.nodes) {
    // Equal substeps from `origin` on, and times by multiplication: added up, they would drift.
    double origin = t, count = 0, index = 0;
    while (t < node) {
      if (count == 0) {
        origin = t;
        index = 0;
        count = std::max(1.0, std::ceil((node - origin) / longest * (1 - 1e-10)));
        if (!(count < 1e9))
          throw PhiRefusal(fmt::format("{}: substeps become too short; use kiops or dense", name()));
      }
      const double tau = (node - origin) / count;
      const double part = 0.5 * tau / total;
      const PhiTolerance bound{part * task.relative, part * task.absolute};
      const double z = tau * task.step * spectrum.rate;
      Substep next = advance(J, A, u, tau, z, bound);
      if (!std::isfinite(next.largest_term) || (next.converged && !std::isfinite(next.norm)))
        throw PhiRefusal(fmt::format("{}: the terms overflow; take a smaller step", name()));

      // Each product loses ε of its summands, each sum ε of its largest term: as seen by flipping signs at
      // random. Terms much larger than their sum cost digits that a shorter substep would keep.
      Vector noise = J.noise(next.value.large), product(J.size(), J.backend());
      J.track(true);
      J.apply(noise, product);
      J.track(false);
      const double gain = next.norm > 0 ? std::max(1.0, J.argument_norm() / next.norm) : 1;
      const double lost = J.skew() ? z * J.argument_norm() : tau * task.step * J.norm_of(product);
      const double summed = gain * next.largest_term * std::sqrt(static_cast<double>(next.degree));
      const double roundoff = 2 * epsilon * (summed + lost);
      const double room = std::max(bound.relative * next.norm, bound.absolute);
      const bool hump = roundoff > room && next.largest_term > 4 * std::max(u_norm, next.norm);
      if (!next.converged || (hump && z > 0.25)) {
        longest = tau / 2;
        count = 0;
        ++report.rejected;
        continue;
      }

      const double local = next.truncation + roundoff;
      lost_so_far += roundoff;
      if (growing) {
        if (error_norm > 0) {
          Substep carried = advance(J, homogeneous, error, tau, z, {.relative = 0.1, .absolute = 0});
          if (!carried.converged) {
            longest = tau / 2;
            count = 0;
            ++report.rejected;
            continue;
          }
          error.large = std::move(carried.value.large);
        }
        if (next.last_term_norm > 0) axpy(next.truncation / next.last_term_norm, next.last_term, error.large);
        axpy(epsilon * tau * task.step, product, error.large);
        if (next.norm > 0) axpy(epsilon * summed / (gain * next.norm), noise, error.large);
        error_norm = local + J.norm_of(error.large);
      } else {
        error_norm = std::exp(exponent * tau) * error_norm + local;
      }
      t = ++index == count ? node : origin + index * tau;
      u.large = std::move(next.value.large);
      u.small = A.small_part(t);
      u_norm = next.norm;
      ++report.substeps;
      report.basis_sizes.push_back(next.degree);
      report.largest_basis = std::max(report.largest_basis, next.degree);
    }
    // Far beyond reach: a further attempt, with tighter bounds, would only take longer to see it.
    if (const double room = std::max(task.relative * u_norm, task.absolute); lost_so_far > 64 * room)
      throw PhiRefusal(
          fmt::format("{}: round-off alone is {:.0e} times the tolerance; loosen it or take a smaller step",
                      name(), lost_so_far / room));
    result.values.push_back(u.large);
    report.error_estimates.push_back(growing ? 2 * error_norm : error_norm);
  }
  report.products = J.products();
  return result;
}

}  // namespace stiffly
