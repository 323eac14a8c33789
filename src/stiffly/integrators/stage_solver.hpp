// Newton's method for implicit stages, in several variants.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "stiffly/integrators/integrator.hpp"
#include "stiffly/integrators/stage_matrix.hpp"

namespace stiffly {

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

/// Solves stages by Newton's method [Deuflhard 2004], and keeps what serves from one to the next.
class StageSolver {
 public:
  explicit StageSolver(const IntegratorOptions& options);

  /// Binds to a system; the linear Jacobian is that of `state`.
  void start(const SecondOrderSystem& system, const State& state);
  /// z in: the start value; z out: the solution. Throws SimulationError where there is no convergence.
  void solve(const Stage& stage, Vector& z);
  /// Iterations of the last solve: what step control by Newton's method looks at.
  int iterations() const { return iterations_; }

 private:
  void residual(const Stage& stage, const Vector& z, Vector& r);
  void refresh(const Stage& stage, const Vector& z);
  double mass_norm(const Vector& x) { return system_->mass().norm(x, work_); }

  const NewtonKind& kind_;
  double tolerance_;
  std::shared_ptr<const ParticleConstraints> constraints_;
  const SecondOrderSystem* system_ = nullptr;
  Tangent tangent_;
  StageMatrix matrix_;
  int iterations_ = 0;
  Vector x_, v_, residual_, dz_, next_dz_, trial_, work_;
};

}  // namespace stiffly
