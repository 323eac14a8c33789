#include "stiffly/integrators/phi_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/phi/registry.hpp"

namespace stiffly {
namespace {

/// √σ·h at the start: lets the energy norm grow by e^{1/8} over a step, and covers the soft modes of a free
/// body.
constexpr double initial_shift = 0.25;
constexpr double largest_shift = 1e4, shift_growth = 4;
/// No evaluator can promise more than this in double precision.
constexpr double tightest = 1e-13;

}  // namespace

void PhiCombination::add(int k, double a, ConstVectorView x) {
  const auto index = static_cast<std::size_t>(k);
  if (b_.size() <= index) b_.resize(index + 1);
  if (b_[index].empty()) b_[index] = Vector(size_, x.backend());
  axpy(a, x, b_[index]);
}

std::vector<ConstVectorView> PhiCombination::views() const {
  std::vector<ConstVectorView> out;
  for (const Vector& b : b_) out.push_back(b.empty() ? ConstVectorView{} : static_cast<ConstVectorView>(b));
  return out;
}

std::vector<double> fractions(const State& from, double h, std::span<const double> times) {
  std::vector<double> out;
  for (const double time : times) out.push_back((time - from.time) / h);
  return out;
}

std::vector<State> from_increments(const State& from, std::span<const double> times,
                                   std::vector<Vector> increments) {
  std::vector<State> out;
  for (std::size_t i = 0; i < times.size(); ++i) {
    axpy(1.0, from.y, increments[i]);
    out.emplace_back(times[i], std::move(increments[i]));
  }
  return out;
}

PhiSolver::PhiSolver(const IntegratorOptions& options)
    : options_(options), evaluator_(make_evaluator(options.evaluator)) {
  if (!(std::isfinite(options.phi_tolerance) && options.phi_tolerance > 0))
    throw InputError(
        fmt::format("the phi tolerance must be positive and finite, not {}", options.phi_tolerance));
}

void PhiSolver::start(const SecondOrderSystem& system, const Tangent& linear) {
  evaluator_ = make_evaluator(options_.evaluator);
  shift_factor_ = initial_shift;
  root_.reset();
  if (options_.reformulation == Reformulation::explicit_root)
    root_ = std::make_shared<const ExplicitRoot>(system.mass(), linear.stiffness);
}

PhiSolver PhiSolver::apart() const {
  PhiSolver other(options_);
  other.root_ = root_;
  other.shift_factor_ = shift_factor_;
  return other;
}

double PhiSolver::save() {
  evaluator_ = make_evaluator(options_.evaluator);
  return shift_factor_;
}

void PhiSolver::restore(MemoryReader& memory) {
  shift_factor_ = memory.number(initial_shift, shift_growth * largest_shift);
}

OscillatorJacobian PhiSolver::jacobian(const SecondOrderSystem& system, const Tangent& tangent,
                                       double h) const {
  OscillatorJacobian jacobian(system.mass(), tangent, initial_shift / h, system.counters());
  if (shift_factor_ > initial_shift) jacobian.cover_negative_stiffness(shift_factor_ / h);
  return jacobian;
}

PhiResult PhiSolver::evaluate_by_root(const OscillatorJacobian& jacobian, double h,
                                      std::span<const ConstVectorView> b, std::span<const double> nodes,
                                      PhiTolerance tolerance) {
  std::vector<Vector> transformed(b.size());
  std::vector<ConstVectorView> views(b.size());
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (b[k].empty()) continue;
    transformed[k] = Vector(b[k].size(), b[k].backend());
    root_->transform(b[k], transformed[k]);
    views[k] = transformed[k];
  }
  const RootOperator in_u(*root_, jacobian);
  PhiResult result = evaluator_->evaluate({in_u, h, views, nodes, tolerance});
  for (Vector& value : result.values) {
    Vector y(value.size(), value.backend());
    root_->restore(value, y);
    value.swap(y);
  }
  return result;
}

std::vector<Vector> PhiSolver::evaluate(OscillatorJacobian& jacobian, double h, const PhiCombination& b,
                                        std::span<const double> nodes, double tightening, PhiReport& report) {
  const auto views = b.views();
  const PhiTolerance tolerance{.relative = std::max(options_.phi_tolerance / tightening, tightest),
                               .norm = options_.phi_norm};
  for (;;) {
    try {
      PhiResult result = root_ ? evaluate_by_root(jacobian, h, views, nodes, tolerance)
                               : evaluator_->evaluate({jacobian, h, views, nodes, tolerance});
      report += result.report;
      return std::move(result.values);
    } catch (const IndefiniteMetric&) {
      // The tangent has directions of negative stiffness: a larger shift of the metric covers them.
      if (shift_factor_ >= largest_shift) throw;
      shift_factor_ *= shift_growth;
      jacobian.cover_negative_stiffness(shift_factor_ / h);
    }
  }
}

}  // namespace stiffly
