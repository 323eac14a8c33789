// What exponential integrators call: a φ evaluator in the chosen reformulation.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stiffly/integrators/integrator.hpp"
#include "stiffly/system/explicit_root.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly {

class MemoryReader;

/// The vectors b_1 … b_p of Σ_k φ_k(hJ) b_k; b_0 is not needed by increments. Absent ones are zero.
class PhiCombination {
 public:
  explicit PhiCombination(std::size_t size) : size_(size) {}
  /// b_k ← b_k + a x
  void add(int k, double a, ConstVectorView x);
  bool empty() const { return b_.empty(); }
  /// b_0 … b_p; valid while this object is unchanged.
  std::vector<ConstVectorView> views() const;

 private:
  std::size_t size_;
  std::vector<Vector> b_;  // b_[k] is b_k, empty where zero
};

/// (t_i − t)/h of times within the step of h from `from`.
std::vector<double> fractions(const State& from, double h, std::span<const double> times);
/// y + w_i at times t_i.
std::vector<State> from_increments(const State& from, std::span<const double> times,
                                   std::vector<Vector> increments);

class PhiSolver {
 public:
  explicit PhiSolver(const IntegratorOptions& options);

  /// Prepares the reformulation; `linear` is the fixed linear part an explicit root is taken of.
  void start(const SecondOrderSystem& system, const Tangent& linear);
  /// What must be known to go on as if nothing had happened; all else that was learnt is forgotten.
  double save();
  void restore(MemoryReader& memory);

  /// One that has learnt nothing, for the same system: what it evaluates does not change what this one does.
  PhiSolver apart() const;

  /// w(c_i) = Σ_k c_i^k φ_k(c_i hJ) b_k for ascending nodes, to `tightening` times less than the tolerance of
  /// the options. Work is added to `report`.
  std::vector<Vector> evaluate(OscillatorJacobian& jacobian, double h, const PhiCombination& b,
                               std::span<const double> nodes, double tightening, PhiReport& report);
  /// w(c) for one node.
  Vector evaluate(OscillatorJacobian& jacobian, double h, const PhiCombination& b, double node,
                  double tightening, PhiReport& report) {
    return std::move(evaluate(jacobian, h, b, std::span(&node, 1), tightening, report).front());
  }
  /// J with the energy metric that fits a step h, and the negative stiffness met so far.
  OscillatorJacobian jacobian(const SecondOrderSystem& system, const Tangent& tangent, double h) const;

 private:
  /// By way of u = T y, where J is skew in the Euclidean inner product.
  PhiResult evaluate_by_root(const OscillatorJacobian& jacobian, double h, std::span<const ConstVectorView> b,
                             std::span<const double> nodes, PhiTolerance tolerance);

  IntegratorOptions options_;
  std::unique_ptr<PhiEvaluator> evaluator_;
  std::shared_ptr<const ExplicitRoot> root_;
  double shift_factor_ = 0;
};

}  // namespace stiffly
