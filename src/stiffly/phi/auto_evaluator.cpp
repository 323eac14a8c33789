#include "stiffly/phi/auto_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/effort.hpp"
#include "stiffly/limits.hpp"

namespace stiffly {
namespace {

constexpr int polynomial = 0, rational = 1;
constexpr int most_products = 2'000'000, most_solves = 2000;
/// Before anything is measured: what a rational evaluation, and what a single solve, is assumed to cost in
/// products.
constexpr double rational_in_products = 1000, solve_in_products = 20;
/// A rational evaluation may take this many times what a polynomial one is expected to: else it is no gain.
constexpr double polynomial_patience = 1;
/// And the other one this many times that, before the first is let go on.
constexpr double mutual_patience = 10;

PhiRegime regime_of(double step, double tolerance, std::size_t vectors) {
  return {std::ilogb(step), static_cast<int>(std::floor(std::log10(tolerance))), static_cast<int>(vectors)};
}

int limited(double count, int most) {
  return static_cast<int>(std::clamp(count, 50.0, static_cast<double>(most)));
}

}  // namespace

AutoEvaluator::AutoEvaluator() : AutoEvaluator(effort_seconds) {}

AutoEvaluator::AutoEvaluator(Clock clock) : clock_(std::move(clock)), polynomial_(Phipm::simul_iom2()) {}

double AutoEvaluator::seconds_of_a_product(const LinearOperator& A) const {
  Vector x(A.size(), A.backend()), y(x);
  fill(1.0, x);
  A.apply(x, y);  // into the caches
  const double start = clock_();
  A.apply(x, y);
  return std::max(clock_() - start, 1e-9);
}

std::optional<PhiResult> AutoEvaluator::timed_call(int candidate, const PhiRegime& regime,
                                                   std::optional<double> budget, const Task& task) {
  const double allowed = budget.value_or(infinite);
  polynomial_.options().max_products = limited(allowed / product_seconds_, most_products);
  polynomial_.options().max_effort = allowed;
  const double solve = solve_seconds_ > 0 ? solve_seconds_ : solve_in_products * product_seconds_;
  rational_.options().max_solves = limited(allowed / solve, most_solves);
  const double start = clock_();
  try {
    PhiResult result = candidate == polynomial ? polynomial_.solve(task) : rational_.solve(task);
    const double time = clock_() - start;
    choice_.learn(regime, candidate, time);
    if (result.report.products > 20 && candidate == polynomial)
      product_seconds_ = time / result.report.products;
    if (result.report.solves > 5) solve_seconds_ = time / result.report.solves;
    return result;
  } catch (const SimulationError&) {  // refused, or no memory for a factor
    choice_.learn(regime, candidate, infinite);
    return std::nullopt;
  }
}

PhiResult AutoEvaluator::solve(const Task& task) {
  if (task.jacobian.size() <= dense_up_to) try {
      return dense_.solve(task);
    } catch (const PhiRefusal&) {  // round-off at a huge norm: others may do better
    }
  if (!task.jacobian.can_shift_invert()) {
    polynomial_.options().max_products = most_products;
    polynomial_.options().max_effort = infinite;
    return polynomial_.solve(task);
  }
  const std::size_t vectors = static_cast<std::size_t>(
      std::count_if(task.b.begin(), task.b.end(), [](const auto& b) { return !b.empty(); }));
  const PhiRegime regime = regime_of(task.step, std::max(task.relative, 1e-16), vectors);
  // The bound costs some tens of products: it is looked up where it decides, and hardly changes afterwards.
  if (radius_ == 0 || !choice_.settled(regime)) radius_ = task.jacobian.spectral_bound().value_or(0);
  const double products = task.step * task.last_node() * radius_;
  if (product_seconds_ == 0) product_seconds_ = seconds_of_a_product(task.jacobian);
  auto decision = choice_.decide(regime, products < rational_in_products ? polynomial : rational);
  if (decision.candidate == rational)
    decision.budget =
        std::min(decision.budget.value_or(infinite),
                 polynomial_patience * std::max(products, rational_in_products) * product_seconds_);
  const int first = decision.candidate, second = 1 - first;
  if (auto result = timed_call(first, regime, decision.budget, task)) return std::move(*result);
  if (decision.budget) {  // what it was measured by may be far off: neither is let go on without end yet
    if (auto result = timed_call(second, regime, mutual_patience * *decision.budget, task))
      return std::move(*result);
    if (auto result = timed_call(first, regime, std::nullopt, task)) return std::move(*result);
  }
  if (auto result = timed_call(second, regime, std::nullopt, task)) return std::move(*result);
  throw PhiRefusal(
      "auto: neither the polynomial nor the rational evaluator meets the tolerance; loosen it or take a "
      "smaller step");
}

}  // namespace stiffly
