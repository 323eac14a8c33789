// The matrix of Newton's method for a stage, and the way to solve with it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "stiffly/integrators/stage.hpp"
#include "stiffly/linalg/conjugate_gradients.hpp"
#include "stiffly/linalg/preconditioner.hpp"
#include "stiffly/linalg/scalar_matrix.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"
#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// Names of linear solvers: "cholesky", or "cg-" and the name of a preconditioner.
struct LinearSolverInfo {
  std::string name;
  std::string summary;
};
std::span<const LinearSolverInfo> linear_solvers();

/// S = μM + cC + bK, or its scalar stand-in.
class StageMatrix {
 public:
  /// Throws InputError, with the nearest name, for a solver that does not exist.
  explicit StageMatrix(const std::string& solver);

  /// Throws SimulationError where the matrix is not positive definite and mass does not mend it.
  void assemble(const SecondOrderSystem& system, const Tangent& tangent, const Stage& stage);
  /// The approximation of paper 004 eq. 50.
  void assemble_scalar(const SecondOrderSystem& system, const Tangent& tangent, const Stage& stage);
  /// Whether mass was added to make the matrix positive definite.
  bool corrected() const { return corrected_; }
  /// What assembling and factorising cost, in solves.
  double factor_cost() const;
  /// S z = r to a relative residual of `relative`, within what the filter leaves free.
  void solve(ConstVectorView r, VectorView z, double relative, const ConjugateGradients::Filter& filter);

 private:
  void begin(const SecondOrderSystem& system, const Tangent& tangent, const Stage& stage);
  void prepare();

  const SecondOrderSystem* system_ = nullptr;
  BlockMatrix matrix_;
  bool corrected_ = false;
  SparseCholesky factor_;
  std::unique_ptr<Preconditioner> preconditioner_;  // empty: factor_
  std::optional<ScalarMatrix> scalar_;
  ConjugateGradients iteration_;
};

}  // namespace stiffly
