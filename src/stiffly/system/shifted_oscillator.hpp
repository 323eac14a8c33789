// (I − σJ)⁻¹ for oscillators: one symmetric positive definite system of N unknowns, never one of 2N.
#pragma once

#include "stiffly/linalg/conjugate_gradients.hpp"
#include "stiffly/linalg/linear_operator.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly {

/// With (x, v) = (I − σJ)⁻¹(a, b):   (M + σC + σ²K) v = M b − σK a,   x = a + σv.
///
/// The factor of an earlier matrix is kept as preconditioner of conjugate gradients while that costs less
/// than a new factorisation; work estimates, not clocks, decide, so that runs repeat exactly.
class ShiftedOscillator final : public ShiftedInverse {
 public:
  /// Makes this the inverse for σ and J (J must outlive the use). Throws NotPositiveDefinite.
  void refresh(const OscillatorJacobian& jacobian, double sigma);
  void solve(ConstVectorView b, VectorView x) const override;

 private:
  void factorize() const;
  void solve_symmetric(ConstVectorView rhs, VectorView v) const;
  void correct(const BlockMatrix& circulatory, VectorView v) const;
  /// v ← S⁻¹ rhs by conjugate gradients preconditioned with the old factor; false if it takes too long.
  bool iterate(ConstVectorView rhs, VectorView v) const;
  /// How many iterations per solve a kept factor may cost.
  int affordable_iterations() const;

  const OscillatorJacobian* jacobian_ = nullptr;
  double sigma_ = 0;
  BlockMatrix shifted_;
  mutable SparseCholesky factor_;
  mutable double factor_sigma_ = 0;
  mutable bool stale_ = false;       // factor_ belongs to an earlier matrix
  mutable int solves_since_ = 0;     // since the last refresh
  mutable int typical_solves_ = 30;  // per refresh, learnt
  mutable Vector rhs_, work_;
  mutable ConjugateGradients iteration_;
};

}  // namespace stiffly
