#include "stiffly/phi/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiffly {
namespace {

constexpr int max_attempts = 4;

void check(const PhiProblem& problem) {
  const std::size_t n = problem.jacobian.size();
  if (!(std::isfinite(problem.step) && problem.step > 0))
    throw InputError(fmt::format("phi: the step must be positive and finite, not {}", problem.step));
  const auto [relative, absolute, norm] = problem.tolerance;
  if (!(std::isfinite(relative) && std::isfinite(absolute) && relative >= 0 && absolute >= 0 &&
        relative + absolute > 0))
    throw InputError(
        fmt::format("phi: tolerances must be finite, not negative, and one of them positive "
                    "(relative {}, absolute {})",
                    relative, absolute));
  if (problem.nodes.empty()) throw InputError("phi: no output node was asked for");
  double previous = 0;
  for (const double c : problem.nodes) {
    if (!(std::isfinite(c) && c > previous))
      throw InputError(
          fmt::format("phi: output nodes must be positive and ascending, found {} after {}", c, previous));
    previous = c;
  }
  for (std::size_t j = 0; j < problem.b.size(); ++j)
    if (!problem.b[j].empty() && problem.b[j].size() != n)
      throw InputError(fmt::format("phi: b_{} has {} entries, the operator {}", j, problem.b[j].size(), n));
}

/// 2^e with 2^e ≤ x < 2^(e+1): scaling by it is exact.
double power_of_two_below(double x) { return std::ldexp(1.0, std::ilogb(x)); }

/// max |x_i| would touch entries: the Euclidean norm serves, kept from under- and overflow by a first
/// scaling.
double safe_norm(ConstVectorView x) {
  const double plain = norm(x);
  if (plain > 1e-140 && plain < 1e140) return plain;
  for (const double up : {0x1p500, 0x1p1000}) {  // tiny entries: their squares underflow
    if (plain >= 1e-140) break;
    Vector scaled(x);
    scale(up, scaled);
    const double lifted = norm(scaled);
    if (lifted > 1e-140) return lifted / up;
  }
  if (plain == 0) return 0;
  Vector scaled(x);
  scale(0x1p-600, scaled);
  return norm(scaled) * 0x1p600;  // infinite only if an entry is not finite or the vector truly is too large
}

}  // namespace

PhiReport& PhiReport::operator+=(const PhiReport& other) {
  products += other.products;
  solves += other.solves;
  factorizations += other.factorizations;
  substeps += other.substeps;
  rejected += other.rejected;
  largest_basis = std::max(largest_basis, other.largest_basis);
  basis_sizes.insert(basis_sizes.end(), other.basis_sizes.begin(), other.basis_sizes.end());
  error_estimates = other.error_estimates;
  evaluator = other.evaluator;
  return *this;
}

PhiResult PhiEvaluator::evaluate(const PhiProblem& problem) {
  check(problem);
  const LinearOperator& J = problem.jacobian;

  double largest = 0;
  std::vector<double> norms(problem.b.size(), 0.0);
  for (std::size_t j = 0; j < problem.b.size(); ++j) {
    if (problem.b[j].empty()) continue;
    norms[j] = safe_norm(problem.b[j]);
    if (!std::isfinite(norms[j])) throw InputError(fmt::format("phi: b_{} is not finite", j));
    largest = std::max(largest, norms[j]);
  }

  PhiResult result;
  if (largest == 0) {
    result.values.assign(problem.nodes.size(), Vector(J.size(), J.backend()));
    result.report.error_estimates.assign(problem.nodes.size(), 0.0);
    result.report.evaluator = name();
    return result;
  }

  const double unit = power_of_two_below(largest);
  // Scale in two halves: 1/unit itself overflows for the smallest vectors.
  const double half = std::ldexp(1.0, -std::ilogb(unit) / 2);
  std::vector<Vector> scaled;
  scaled.reserve(norms.size());
  Task task{J,
            problem.step,
            {},
            problem.nodes,
            problem.tolerance.relative,
            problem.tolerance.absolute / unit,
            problem.tolerance.norm};
  for (std::size_t j = 0; j < norms.size(); ++j) {
    if (norms[j] == 0) {
      task.b.emplace_back();
      continue;
    }
    if (unit == 1.0) {
      task.b.push_back(problem.b[j]);
      continue;
    }
    scaled.emplace_back(problem.b[j]);
    scale(half, scaled.back());
    scale(1.0 / unit / half, scaled.back());
    task.b.push_back(scaled.back());
  }
  while (task.b.back().empty()) task.b.pop_back();

  for (int attempt_number = 1;; ++attempt_number) {
    const PhiReport so_far = result.report;
    result = attempt(task);
    PhiReport total = so_far;
    total += result.report;
    result.report = total;
    result.report.evaluator = result.report.evaluator.empty() ? name() : result.report.evaluator;

    double excess = 0;
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      const double size = metric_norm(J, result.values[i]);
      const double estimate = result.report.error_estimates[i];
      if (!std::isfinite(size) || !std::isfinite(estimate))
        throw PhiRefusal(fmt::format("{}: the result overflows; the step {} is too large for this matrix",
                                     name(), problem.step));
      const double bound = std::max(problem.tolerance.relative * size, problem.tolerance.absolute / unit);
      excess = std::max(excess, bound > 0 ? estimate / bound : (estimate > 0 ? HUGE_VAL : 0.0));
    }
    if (excess <= 1) break;
    if (attempt_number == max_attempts || !std::isfinite(excess))
      throw PhiRefusal(
          fmt::format("{}: a relative error of {:.1e} cannot be met (estimate {:.1e} times too large "
                      "after {} attempts); loosen the tolerance or take a smaller step",
                      name(), problem.tolerance.relative, excess, attempt_number));
    task.relative /= 4 * excess;
    task.absolute /= 4 * excess;
    ++result.report.rejected;
  }

  if (unit != 1.0) {
    for (Vector& value : result.values) {
      scale(1.0 / half, value);
      scale(unit * half, value);
    }
    for (double& estimate : result.report.error_estimates) estimate *= unit;
  }
  return result;
}

}  // namespace stiffly
