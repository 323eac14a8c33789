#include "stiffly/phi/stepping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/limits.hpp"

namespace stiffly {
namespace {

constexpr ConstVectorView no_forcing[] = {{}};

}  // namespace

/// One attempt: u(t) and its error are carried from node to node.
class SteppingEvaluator::Walk {
 public:
  Walk(SteppingEvaluator& self, const Task& task);
  /// On to the time `node`, in equal substeps.
  void advance_to(double node);
  PhiResult result() &&;

 private:
  /// What rounding does to a substep.
  struct Roundoff {
    Vector noise;       ///< s ∘ u with random signs s, and
    Vector product;     ///< J times it
    double summed = 0;  ///< lost in sums, over 2ε
    double gain = 1;    ///< how much the norm magnifies noise in the entries
    double size = 0;    ///< of it all
  };

  double substeps_to(double node) const;
  bool substep(double tau);
  Roundoff roundoff(const Substep& next, double tau, double z) const;
  bool carry_error(const Substep& next, const Roundoff& roundoff, double tau, double z);
  void output();

  SteppingEvaluator& self_;
  const Task& task_;
  const CountedOperator J_;
  const AugmentedOperator A_, homogeneous_;
  const Spectrum spectrum_;
  const double exponent_;  // errors grow by at most exp(exponent·c)
  const bool growing_;     // by more than a factor of two: an error vector is carried along
  double longest_;         // substep
  double t_ = 0;
  AugmentedVector u_;
  double u_norm_;
  AugmentedVector error_;
  double error_norm_ = 0;
  double roundoff_so_far_ = 0;
  PhiResult result_;
};

SteppingEvaluator::Walk::Walk(SteppingEvaluator& self, const Task& task)
    : self_(self),
      task_(task),
      J_(task.jacobian, self.name(), self.max_products_),
      A_(J_, task.step, task.b),
      homogeneous_(J_, task.step, no_forcing),
      spectrum_(estimate_spectrum(J_)),
      exponent_(J_.skew() ? 0.0 : std::max(0.0, spectrum_.abscissa * task.step)),
      growing_(exponent_ * task.last_node() > 0.7),
      u_(A_.start()),
      u_norm_(J_.norm_of(u_.large)),
      error_(growing_ ? homogeneous_.zero() : AugmentedVector{}) {
  // Half the tolerance for truncation, each substep its share.
  const double total = task.last_node(), z_total = total * task.step * spectrum_.rate;
  const double share = 0.5 * std::max(task.relative, task.absolute) / std::max(1.0, z_total / 10);
  longest_ = z_total > 0 ? total * (self.reach(share) / z_total) : total;
}

PhiResult SteppingEvaluator::Walk::result() && {
  result_.report.products = J_.products();
  return std::move(result_);
}

/// How many equal substeps, none above the longest, lead from t to the node.
double SteppingEvaluator::Walk::substeps_to(double node) const {
  const double count = std::max(1.0, std::ceil((node - t_) / longest_ * (1 - 1e-10)));
  if (!(count < 1e9))
    throw PhiRefusal(fmt::format("{}: substeps become too short; use kiops or dense", self_.name()));
  return count;
}

void SteppingEvaluator::Walk::advance_to(double node) {
  while (t_ < node) {
    // Times by multiplication: added up, they would drift.
    const double origin = t_, count = substeps_to(node), tau = (node - origin) / count;
    for (double index = 1; index <= count; ++index) {
      if (!substep(tau)) {
        longest_ = tau / 2;
        ++result_.report.rejected;
        break;
      }
      t_ = index == count ? node : origin + index * tau;
      u_.small = A_.small_part(t_);
    }
  }
  output();
}

/// u ← exp(τÃ)u with its error, unless the series does not converge or loses too many digits: false.
bool SteppingEvaluator::Walk::substep(double tau) {
  const double part = 0.5 * tau / task_.last_node();
  const PhiTolerance bound{part * task_.relative, part * task_.absolute};
  const double z = tau * task_.step * spectrum_.rate;
  Substep next = self_.advance(J_, A_, u_, tau, z, bound);
  if (!std::isfinite(next.largest_term) || (next.converged && !std::isfinite(next.norm)))
    throw PhiRefusal(fmt::format("{}: the terms overflow; take a smaller step", self_.name()));

  // Terms much larger than their sum cost digits that a shorter substep would keep.
  const Roundoff lost = roundoff(next, tau, z);
  const double room = std::max(bound.relative * next.norm, bound.absolute);
  const bool hump = lost.size > room && next.largest_term > 4 * std::max(u_norm_, next.norm);
  if (!next.converged || (hump && z > 0.25)) return false;
  roundoff_so_far_ += lost.size;
  if (!carry_error(next, lost, tau, z)) return false;

  u_.large = std::move(next.value.large);
  u_norm_ = next.norm;
  PhiReport& report = result_.report;
  ++report.substeps;
  report.basis_sizes.push_back(next.degree);
  report.largest_basis = std::max(report.largest_basis, next.degree);
  return true;
}

/// Each product loses ε of its summands, each sum ε of its largest term: as seen by flipping signs at random.
SteppingEvaluator::Walk::Roundoff SteppingEvaluator::Walk::roundoff(const Substep& next, double tau,
                                                                    double z) const {
  Roundoff out{.noise = J_.noise(next.value.large), .product = Vector(J_.size(), J_.backend())};
  J_.track(true);
  J_.apply(out.noise, out.product);
  J_.track(false);
  const double noise_norm = J_.argument_norm();
  out.gain = next.norm > 0 ? std::max(1.0, noise_norm / next.norm) : 1;
  out.summed = out.gain * next.largest_term * std::sqrt(static_cast<double>(next.degree));
  const double multiplied = J_.skew() ? z * noise_norm : tau * task_.step * J_.norm_of(out.product);
  out.size = 2 * epsilon * (out.summed + multiplied);
  return out;
}

/// The error of a substep travels on with the flow. Where the flow cannot enlarge it (skew or damped in the
/// operator's inner product) norms are added up. Elsewhere an error vector travels along: it is advanced like
/// the solution, to one digit, and each substep adds its truncation error in the direction of the last term
/// and its round-off in a random one. This doubles the products, and sees every kind of growth. False where
/// the error vector needs a shorter substep.
bool SteppingEvaluator::Walk::carry_error(const Substep& next, const Roundoff& roundoff, double tau,
                                          double z) {
  const double local = next.truncation + roundoff.size;
  if (!growing_) {
    error_norm_ = std::exp(exponent_ * tau) * error_norm_ + local;
    return true;
  }
  if (error_norm_ > 0) {
    Substep carried = self_.advance(J_, homogeneous_, error_, tau, z, {.relative = 0.1, .absolute = 0});
    if (!carried.converged) return false;
    error_.large = std::move(carried.value.large);
  }
  if (next.last_term_norm > 0) axpy(next.truncation / next.last_term_norm, next.last_term, error_.large);
  axpy(epsilon * tau * task_.step, roundoff.product, error_.large);
  if (next.norm > 0)
    axpy(epsilon * roundoff.summed / (roundoff.gain * next.norm), roundoff.noise, error_.large);
  error_norm_ = local + J_.norm_of(error_.large);
  return true;
}

void SteppingEvaluator::Walk::output() {
  // Far beyond reach: a further attempt, with tighter bounds, would only take longer to see it.
  if (const double room = std::max(task_.relative * u_norm_, task_.absolute); roundoff_so_far_ > 64 * room)
    throw PhiRefusal(
        fmt::format("{}: round-off alone is {:.0e} times the tolerance; loosen it or take a smaller step",
                    self_.name(), roundoff_so_far_ / room));
  result_.values.push_back(u_.large);
  result_.report.error_estimates.push_back(growing_ ? 2 * error_norm_ : error_norm_);
}

PhiResult SteppingEvaluator::attempt(const Task& task) {
  Walk walk(*this, task);
  for (const double node : task.nodes) walk.advance_to(node);
  return std::move(walk).result();
}

bool SteppingEvaluator::Substep::settled(const CountedOperator& J, double rest, PhiTolerance tolerance,
                                         double& size) {
  const double guess = size >= 0 ? size : largest_term;
  if (rest > std::max(tolerance.relative * guess, tolerance.absolute)) return false;
  size = J.norm_of(value.large);
  if (rest > std::max(tolerance.relative * size, tolerance.absolute) && rest > 1e-18 * largest_term)
    return false;
  truncation = rest;
  norm = size;
  converged = true;
  return true;
}

void SteppingEvaluator::Substep::end(const CountedOperator& J, AugmentedVector term) {
  J.track(false);
  last_term = std::move(term.large);
  last_term_norm = converged ? J.norm_of(last_term) : 0;
}

}  // namespace stiffly
