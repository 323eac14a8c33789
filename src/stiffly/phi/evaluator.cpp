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

/// ‖x‖ without under- or overflow of the squares.
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

/// b_0 … b_p divided by the power of two below the largest ‖b_j‖; zero vectors become empty views.
class ScaledVectors {
 public:
  explicit ScaledVectors(std::span<const ConstVectorView> b) {
    std::vector<double> norms(b.size(), 0.0);
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (b[j].empty()) continue;
      norms[j] = safe_norm(b[j]);
      if (!std::isfinite(norms[j])) throw PhiRefusal(fmt::format("phi: b_{} is not finite", j));
    }
    const double largest = norms.empty() ? 0 : *std::max_element(norms.begin(), norms.end());
    if (largest == 0) return;
    unit_ = power_of_two_below(largest);
    half_ = std::ldexp(1.0, -std::ilogb(unit_) / 2);
    scaled_.reserve(b.size());  // views_ refers to what is in it
    for (std::size_t j = 0; j < b.size(); ++j)
      views_.push_back(norms[j] > 0 ? scaled(b[j]) : ConstVectorView{});
    while (views_.back().empty()) views_.pop_back();
  }

  /// Without the trailing zero vectors; empty if all are zero.
  const std::vector<ConstVectorView>& views() const { return views_; }
  double unit() const { return unit_; }

  /// What was computed with the scaled vectors, for the given ones.
  void undo(PhiResult& result) const {
    if (unit_ == 1.0) return;
    for (Vector& value : result.values) {
      scale(1.0 / half_, value);
      scale(unit_ * half_, value);
    }
    for (double& estimate : result.report.error_estimates) estimate *= unit_;
  }

 private:
  ConstVectorView scaled(ConstVectorView b) {
    if (unit_ == 1.0) return b;
    scaled_.emplace_back(b);
    scale(half_, scaled_.back());
    scale(1.0 / unit_ / half_, scaled_.back());
    return scaled_.back();
  }

  double unit_ = 1;
  double half_ = 1;  // about 1/√unit: 1/unit itself overflows for the smallest vectors
  std::vector<Vector> scaled_;
  std::vector<ConstVectorView> views_;
};

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
  const auto& [J, step, given, nodes, tolerance] = problem;
  const ScaledVectors b(given);
  PhiResult result;
  if (b.views().empty()) {
    result.values.assign(nodes.size(), Vector(J.size(), J.backend()));
    result.report.error_estimates.assign(nodes.size(), 0.0);
    result.report.evaluator = name();
    return result;
  }
  result =
      solve({J, step, b.views(), nodes, tolerance.relative, tolerance.absolute / b.unit(), tolerance.norm});
  b.undo(result);
  return result;
}

PhiResult EstimatingEvaluator::solve(const Task& task) {
  Task aim = task;
  PhiReport total;
  for (int attempts = 1;; ++attempts) {
    PhiResult result = attempt(aim);
    total += result.report;
    const double missed = excess(task, result);
    if (missed <= 1) {
      total.evaluator = name();
      result.report = std::move(total);
      return result;
    }
    if (attempts == max_attempts || !std::isfinite(missed))
      throw PhiRefusal(
          fmt::format("{}: a relative error of {:.1e} cannot be met (estimate {:.1e} times too large "
                      "after {} attempts); loosen the tolerance or take a smaller step",
                      name(), task.relative, missed, attempts));
    aim.relative /= 4 * missed;
    aim.absolute /= 4 * missed;
    ++total.rejected;
  }
}

/// max over the outputs of estimated error over bound
double EstimatingEvaluator::excess(const Task& task, const PhiResult& result) const {
  double largest = 0;
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const double size = metric_norm(task.jacobian, result.values[i]);
    const double estimate = result.report.error_estimates[i];
    if (!std::isfinite(size) || !std::isfinite(estimate))
      throw PhiRefusal(fmt::format("{}: the result overflows; the step {} is too large for this matrix",
                                   name(), task.step));
    const double bound = std::max(task.relative * size, task.absolute);
    largest = std::max(largest, bound > 0 ? estimate / bound : (estimate > 0 ? HUGE_VAL : 0.0));
  }
  return largest;
}

}  // namespace stiffly
