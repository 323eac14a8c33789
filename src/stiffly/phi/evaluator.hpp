// One interface for everything that computes φ-functions of a matrix times vectors.
//
//   w(c) = Σ_j c^j φ_j(c hJ) b_j,   φ_0(z) = e^z,  φ_{k+1}(z) = (φ_k(z) − 1/k!)/z
//
// w is the solution at t = c of  u' = hJ u + b_1 + t b_2 + t²/2! b_3 + …,  u(0) = b_0.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stiffly/error.hpp"
#include "stiffly/linalg/linear_operator.hpp"

namespace stiffly {

/// What an error is measured in.
enum class PhiNorm {
  energy,  ///< ‖·‖, the operator's norm
  smoothed,  ///< ‖(I − γhJ)⁻¹·‖: oscillations too fast for the step, hω > 1/γ, count the less the faster they
             ///< are
};

/// ‖error of w(c_i)‖ ≤ max(relative ‖w(c_i)‖, absolute) for every output. The smoothed norm, as error
/// estimates of stiff solvers use it [Hairer & Wanner, Solving ODEs II, IV.8], is one of the rational
/// evaluator, whose γ (at most 0.03) it takes; the others cannot save work by it and meet the bound in the
/// operator's norm.
struct PhiTolerance {
  double relative = 1e-8;
  double absolute = 0;
  PhiNorm norm = PhiNorm::energy;
};

struct PhiProblem {
  const LinearOperator& jacobian;      ///< J
  double step = 1;                     ///< h
  std::span<const ConstVectorView> b;  ///< b_0 … b_p; an empty view is a zero vector
  std::span<const double> nodes;       ///< output fractions 0 < c_1 < … < c_s
  PhiTolerance tolerance;
};

/// What an evaluation cost and how far it may be off.
struct PhiReport {
  int products = 0;              ///< products with J
  int solves = 0;                ///< applications of a shifted inverse
  int factorizations = 0;        ///< shifted inverses made
  int substeps = 0;              ///< accepted substeps
  int rejected = 0;              ///< rejected substeps and repeated attempts
  int largest_basis = 0;         ///< dimension of the largest Krylov space, or degree of the polynomial
  std::vector<int> basis_sizes;  ///< one per accepted substep
  std::vector<double> error_estimates;  ///< absolute, one per output
  std::string evaluator;                ///< who did it (`auto` names its choice)

  PhiReport& operator+=(const PhiReport& other);
};

struct PhiResult {
  std::vector<Vector> values;  ///< w(c_1) … w(c_s)
  PhiReport report;
};

/// The evaluator cannot deliver what was asked for and says why; nothing was returned.
class PhiRefusal : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

/// Computes w(c_i) to the tolerance, or throws PhiRefusal; never a silent miss. Bad arguments (a step or
/// tolerance that is not positive and finite, nodes out of order, sizes that differ, vectors that are not
/// finite) throw InputError. All b_j zero gives zeros at no cost. Vectors of any magnitude from 1e-300 on are
/// handled by scaling. An evaluator may keep workspace and what it learnt about step and basis sizes between
/// calls, nothing else.
class PhiEvaluator {
 public:
  virtual ~PhiEvaluator() = default;
  virtual std::string name() const = 0;
  PhiResult evaluate(const PhiProblem& problem);

  /// A problem that was checked and scaled: the largest ‖b_j‖ is about 1, and the last b_j is not zero.
  struct Task {
    const LinearOperator& jacobian;
    double step;
    std::vector<ConstVectorView> b;
    std::span<const double> nodes;
    double relative;
    double absolute;
    PhiNorm norm;
    std::size_t p() const { return b.size() - 1; }
    double last_node() const { return nodes.back(); }
  };
  /// Values with errors of at most max(relative·‖w‖, absolute), or PhiRefusal.
  virtual PhiResult solve(const Task& task) = 0;
};

/// Makes attempts with ever tighter aims until the estimated error meets the bound of the task.
class EstimatingEvaluator : public PhiEvaluator {
 public:
  PhiResult solve(const Task& task) final;

 protected:
  /// Values with an absolute error estimate per output (growth of earlier errors included) in
  /// report.error_estimates. Aims at max(relative·‖w‖, absolute), and may miss it.
  virtual PhiResult attempt(const Task& task) = 0;

 private:
  double excess(const Task& task, const PhiResult& result) const;
};

}  // namespace stiffly
