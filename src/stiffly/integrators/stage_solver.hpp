// The nonlinear system behind every implicit stage: N equations for N accelerations.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "stiffly/integrators/integrator.hpp"
#include "stiffly/linalg/conjugate_gradients.hpp"
#include "stiffly/linalg/preconditioner.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"

namespace stiffly {

/// Find the acceleration z with   M(μz + w) = f(t, p + bz, q + cz).
///
/// A stage Y = (X, V) = base + a h F(Y) of a first-order method is one of these, with b = (ah)², c = ah:
/// second-order structure turns 2N unknowns into N. The Newton matrix is S = μM + cC + bK.
struct Stage {
  double t = 0;
  Vector p = {}, q = {};
  double b = 0, c = 0;
  double mu = 1;
  Vector w = {};  ///< empty: zero

  /// x ← p + bz, v ← q + cz
  void place(const Vector& z, VectorView x, VectorView v) const;
  /// For Y = (x, v) + a h F(t, Y).
  static Stage first_order(double t, ConstVectorView x, ConstVectorView v, double ah);
};

/// How Newton's method is made, by name: see newton_kinds().
struct NewtonKind {
  std::string name = {};
  std::string summary = {};
  bool every_tangent = true;     ///< a new tangent in every iteration; else only where convergence is slow
  bool line_search = false;      ///< shorter steps until the natural monotonicity test is passed
  double forcing = 0;            ///< η of an inexact solve; 0: solved to round-off
  bool linear_jacobian = false;  ///< the scalar approximation of paper 004 eq. 50 instead of the tangent
};
std::span<const NewtonKind> newton_kinds();

/// Names of linear solvers: "cholesky", or "cg-" and the name of a preconditioner.
struct LinearSolverInfo {
  std::string name;
  std::string summary;
};
std::span<const LinearSolverInfo> linear_solvers();

/// Solves stages by Newton's method [Deuflhard 2004], and keeps what serves from one to the next.
class StageSolver {
 public:
  explicit StageSolver(const IntegratorOptions& options);
  ~StageSolver();

  /// Binds to a system; the linear Jacobian is that of `state`.
  void start(const SecondOrderSystem& system, const State& state);
  /// z in: the start value; z out: the solution. Throws SimulationError where there is no convergence.
  void solve(const Stage& stage, Vector& z);
  /// Iterations of the last solve: what step control by Newton's method looks at.
  int iterations() const { return iterations_; }

 private:
  class Matrix;  // S with its solver

  void residual(const Stage& stage, const Vector& z, Vector& r);
  void refresh(const Stage& stage, const Vector& z);
  double mass_norm(const Vector& x) { return system_->mass().norm(x, work_); }

  const NewtonKind& kind_;
  double tolerance_;
  std::shared_ptr<const ParticleConstraints> constraints_;
  const SecondOrderSystem* system_ = nullptr;
  Tangent tangent_;
  std::unique_ptr<Matrix> matrix_;
  int iterations_ = 0;
  Vector x_, v_, residual_, dz_, next_dz_, trial_, work_;
};

}  // namespace stiffly
