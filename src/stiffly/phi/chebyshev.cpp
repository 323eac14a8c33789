#include "stiffly/phi/chebyshev.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/limits.hpp"
#include "stiffly/phi/augmented.hpp"
#include "stiffly/phi/spectrum.hpp"

namespace stiffly {
namespace {

constexpr int look = 32;                // steps between two looks at ‖q_k‖
constexpr double shortest_series = 32;  // splitting further would only add terms

/// Past this degree J_k(z) is below 1e-20 of its largest value: for k = z + x z^{1/3} it falls like
/// exp(−0.94 x^{3/2}), for small z like (z/2)^k/k!.
int last_degree(double z) { return static_cast<int>(z + 14 * std::cbrt(z)) + 24; }

/// One output of a series: its distance from the start as a fraction of z, Bessel factors, sum and error.
struct Output {
  double fraction;
  std::vector<double> bessel;
  std::vector<double> tail;  // tail_k = 2 Σ_{l>k} |J_l| ‖q_l‖
  Vector sum;
  double norm = 0;
  double error = 0;
};

/// The radius was too small: q_k grew. `radius` is what the growth says.
struct Outgrown {
  double radius;
};

class Series {
 public:
  Series(const CountedOperator& J, const AugmentedOperator& A, double step, double radius, double relative,
         double absolute, std::vector<double> b_norms)
      : J_(J),
        A_(A),
        step_(step),
        radius_(radius),
        relative_(relative),
        absolute_(absolute),
        b_norms_(std::move(b_norms)) {}

  /// From the state u at time t to the times t + fraction·length; `share` is the part of the tolerance to
  /// use.
  int run(const AugmentedVector& u, double t, double length, double share, std::vector<Output>& outputs);

 private:
  void begin(const AugmentedVector& u, double t, double length, std::vector<Output>& outputs);
  void check_growth(double size, int k);
  double term_norm(int k) const;
  int degree(const std::vector<Output>& outputs, double share) const;

  const CountedOperator& J_;
  const AugmentedOperator& A_;
  double step_, radius_, relative_, absolute_;
  std::vector<double> b_norms_;  // ‖b_1‖ … ‖b_p‖
  std::vector<double> forcing_;  // ‖u‖, then length^j ‖b_j(t)‖/j!: b_j(t) are the b_j as seen from time t
  double z_ = 0;
  double growth_ = 1;  // largest ‖q_k‖ seen over its bound
};

/// ‖q_k‖ ≤ ‖u‖ + Σ_j (k/z)^j length^j‖b_j(t)‖/j!. The nilpotent block makes divided differences of T_k at
/// (x, 0, …, 0) with j zeros, and |T_k[x, 0, …, 0]| ≤ k^j/j! on [−1, 1]: polynomial growth, nothing worse.
double Series::term_norm(int k) const {
  double sum = 0, power = 1;
  for (const double f : forcing_) {
    sum += f * power;
    power *= k / z_;
  }
  return sum;
}

/// The smallest degree whose tail meets the tolerance of every output; the full one if none does.
int Series::degree(const std::vector<Output>& outputs, double share) const {
  int k = 1;
  for (const Output& out : outputs) {
    const double bound = share * std::max(relative_ * out.norm, absolute_) / growth_;
    while (k + 1 < static_cast<int>(out.tail.size()) && out.tail[static_cast<std::size_t>(k)] > bound) ++k;
  }
  return k;
}

/// forcing_ and the outputs' Bessel factors, tails and first terms for a series from u at time t.
void Series::begin(const AugmentedVector& u, double t, double length, std::vector<Output>& outputs) {
  // z ≥ 1: the nilpotent block needs a radius too.
  z_ = std::max(1.0, length * step_ * radius_);
  forcing_.assign(1, J_.norm_of(u.large));
  for (std::size_t j = 0; j < b_norms_.size(); ++j) {
    double at_t = 0, factor = 1;
    for (std::size_t i = j; i < b_norms_.size(); ++i) {
      at_t += factor * b_norms_[i];
      factor *= t / static_cast<double>(i - j + 1);
    }
    double scaling = 1;
    for (std::size_t i = 1; i <= j + 1; ++i) scaling *= length / static_cast<double>(i);
    forcing_.push_back(scaling * at_t);
  }
  const int last = last_degree(z_);
  for (Output& out : outputs) {
    out.bessel = bessel_j(out.fraction * z_, last);
    out.tail.assign(out.bessel.size(), 0.0);
    for (std::size_t k = out.bessel.size() - 1; k > 0; --k)
      out.tail[k - 1] = out.tail[k] + 2 * std::abs(out.bessel[k]) * term_norm(static_cast<int>(k));
    out.sum = Vector(u.large);
    scale(out.bessel[0], out.sum);
    double power = 1;  // no larger than this, and rarely much smaller
    for (const double f : forcing_) out.norm += f * power, power *= out.fraction;
  }
}

/// Compares ‖q_k‖ with its bound. Growth beyond it means that the radius was too small: T_k(x) = cosh(k
/// arcosh x) beyond 1 tells how far x is.
void Series::check_growth(double size, int k) {
  const double bound = term_norm(k);
  if (!(size <= 3 * bound)) {
    const double excess = std::isfinite(size) ? std::cosh(std::log(size / bound + 1) / k) : 2;
    throw Outgrown{radius_ * 1.01 * std::max(1.0, excess)};
  }
  if (bound > 0) growth_ = std::max(growth_, size / bound);
}

int Series::run(const AugmentedVector& u, double t, double length, double share,
                std::vector<Output>& outputs) {
  begin(u, t, length, outputs);
  AugmentedVector before = u, now = A_.zero(), work = A_.zero();
  A_.apply(before, work);
  axpby(length / z_, work, 0, now);
  double largest = forcing_[0];  // of ‖q_k‖, with its round-off gain
  int k = 1, end = degree(outputs, share);
  for (;; ++k) {
    for (Output& out : outputs) {
      const double factor = 2 * out.bessel[static_cast<std::size_t>(k)];
      if (std::abs(factor) > 1e-22) axpy(factor, now.large, out.sum);
    }
    if (k == end) {  // what the outputs really measure may ask for more terms
      for (Output& out : outputs) out.norm = J_.norm_of(out.sum);
      check_growth(J_.norm_of(now.large), k);
      end = std::max(end, degree(outputs, share));
      if (k == end) break;
    }
    const bool looking = k % look == 0;
    J_.track(looking);
    A_.apply(now, work);
    J_.track(false);
    if (looking) {
      const double size = J_.argument_norm();
      check_growth(size, k);
      const bool power_of_two = (k & (k - 1)) == 0;
      if (power_of_two && k <= z_ + 2) largest = std::max(largest, size * J_.roundoff_gain(now.large, size));
    }
    axpby(2 * length / z_, work, 1, before);
    std::swap(before, now);
  }
  largest = std::max({largest, term_norm(0) * J_.roundoff_gain(u.large, forcing_[0]),
                      term_norm(std::min(k, static_cast<int>(z_) + 2))});
  // Round-off: each term brings its own at random, and z itself is known to ε only, which turns phases by εz.
  for (Output& out : outputs)
    out.error = growth_ * out.tail[static_cast<std::size_t>(k)] +
                epsilon * (2 * std::sqrt(static_cast<double>(k)) * largest + z_ * out.norm);
  return k;
}

/// All outputs of a task, the interval cut into series of at most `longest`.
PhiResult sweep(const CountedOperator& J, double step, std::span<const ConstVectorView> b,
                std::span<const double> nodes, double relative, double absolute, double radius,
                double longest) {
  std::vector<double> b_norms;
  for (std::size_t j = 1; j < b.size(); ++j) b_norms.push_back(b[j].empty() ? 0 : J.norm_of(b[j]));
  const AugmentedOperator A(J, step, b);
  AugmentedVector u = A.start();
  const int pieces =
      std::max(1, static_cast<int>(std::ceil(nodes.back() * step * radius / longest * (1 - 1e-10))));
  const double length = nodes.back() / pieces;
  Series series(J, A, step, radius, relative, absolute, b_norms);
  PhiResult result;
  double error = 0;  // of u: a skew matrix carries it along without growth
  for (int piece = 0; piece < pieces; ++piece) {
    const double t = piece * length;
    const bool final_piece = piece + 1 == pieces;
    const double end = final_piece ? nodes.back() : (piece + 1) * length;
    std::vector<Output> outputs;
    for (std::size_t i = result.values.size(); i < nodes.size() && nodes[i] <= end; ++i)
      outputs.push_back({(nodes[i] - t) / length, {}, {}, {}});
    const std::size_t found = outputs.size();
    if (!final_piece) outputs.push_back({1.0, {}, {}, {}});
    const int degree = series.run(u, t, length, 0.5 / pieces, outputs);
    for (std::size_t i = 0; i < found; ++i) {
      result.report.error_estimates.push_back(error + outputs[i].error);
      result.values.push_back(std::move(outputs[i].sum));
    }
    if (!final_piece) {
      error += outputs.back().error;
      u.large = std::move(outputs.back().sum);
      u.small = A.small_part(end);
    }
    ++result.report.substeps;
    result.report.basis_sizes.push_back(degree);
    result.report.largest_basis = std::max(result.report.largest_basis, degree);
  }
  return result;
}

}  // namespace

PhiResult Chebyshev::attempt(const Task& task) {
  const CountedOperator J(task.jacobian, name(), options_.max_products);
  if (!J.skew())
    throw PhiRefusal(
        "chebyshev: the matrix is not skew in its inner product (damping, an indefinite stiffness, or no "
        "energy inner product); use kiops or rational");
  double radius = estimate_spectrum(J).radius;
  double longest = options_.longest;
  for (int rejected = 0;; ++rejected) {
    if (rejected == 40)
      throw PhiRefusal("chebyshev: the terms keep growing, as if the matrix were not skew; use kiops");
    try {
      PhiResult result =
          sweep(J, task.step, task.b, task.nodes, task.relative, task.absolute, radius, longest);
      double excess = 0;
      for (std::size_t i = 0; i < result.values.size(); ++i)
        excess = std::max(excess, result.report.error_estimates[i] /
                                      std::max(task.relative * J.norm_of(result.values[i]), task.absolute));
      result.report.products = J.products();
      result.report.rejected = rejected;
      // Truncation was settled within the series: what remains is round-off, and shorter series make less of
      // it.
      const double z = task.last_node() * task.step * radius;
      if (excess <= 1 || std::min(z, longest) <= shortest_series) return result;
      longest = std::max(shortest_series, std::min(z, longest) / 16);
    } catch (const Outgrown& grown) {
      radius = grown.radius;
    }
  }
}

// Miller's backward recurrence J_{k−1} = (2k/z) J_k − J_{k+1} from an arbitrary start well past n and z,
// scaled afterwards by J_0² + 2 Σ J_k² = 1 (no cancellation) with the sign of J_0 + 2 Σ J_{2k} = 1.
std::vector<double> bessel_j(double z, int n) {
  std::vector<double> J(static_cast<std::size_t>(n) + 1, 0.0);
  if (z < 1e-150) {  // 2k/z would overflow; J_1 = z/2 is negligible
    J[0] = 1;
    return J;
  }
  double above = 0, here = 1, squares = 0, evens = 0;
  for (int k = std::max(n, last_degree(z)) + 16; k >= 0; --k) {
    if (k <= n) J[static_cast<std::size_t>(k)] = here;
    squares += (k == 0 ? 1 : 2) * here * here;
    if (k % 2 == 0) evens += (k == 0 ? 1 : 2) * here;
    const double below = 2 * k / z * here - above;
    above = here;
    here = below;
    if (std::abs(here) > 1e100) {
      constexpr double down = 0x1p-300;
      here *= down, above *= down, squares *= down * down, evens *= down;
      for (std::size_t i = static_cast<std::size_t>(std::max(k, 0)); i < J.size(); ++i) J[i] *= down;
    }
  }
  const double factor = std::copysign(1 / std::sqrt(squares), evens);
  for (double& value : J) value *= factor;
  return J;
}

}  // namespace stiffly
