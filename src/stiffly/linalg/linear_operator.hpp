// What evaluators know of a matrix: how to multiply, in which inner product it is well behaved, and, where
// available, how to solve with a shift.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "stiffly/error.hpp"
#include "stiffly/linalg/vector.hpp"

namespace stiffly {

/// The inner product of an operator gave a vector a negative square: the stiffness is more indefinite than
/// the metric's shift covers. Whoever made the operator may raise the shift and try again.
class IndefiniteMetric : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

/// (I − σA)⁻¹, ready to be applied many times. It may refer to the operator it was made from, and is used
/// only while that operator lives.
class ShiftedInverse {
 public:
  virtual ~ShiftedInverse() = default;
  /// x ← (I − σA)⁻¹ b; x and b may not overlap.
  virtual void solve(ConstVectorView b, VectorView x) const = 0;
};

/// Tells one operator from all others, those that are gone included.
class OperatorId {
 public:
  OperatorId() = default;  ///< of no operator
  static OperatorId next();
  bool operator==(const OperatorId&) const = default;

 private:
  std::uint64_t number_ = 0;
};

/// A square matrix A known by its products, with the inner product ⟨x,y⟩ = xᵀGy in which norms, errors and
/// orthogonality are meant. Without more, G = I.
class LinearOperator {
 public:
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) {}  // a copy may change: it gets an id of its own
  LinearOperator& operator=(const LinearOperator&) {
    id_ = OperatorId::next();
    return *this;
  }
  virtual ~LinearOperator() = default;
  OperatorId id() const { return id_; }
  virtual std::size_t size() const = 0;
  /// Of the vectors it is applied to.
  virtual const Backend& backend() const { return host_backend(); }

  /// y ← A x; x and y may not overlap.
  virtual void apply(ConstVectorView x, VectorView y) const = 0;

  /// Whether G = I, so that ‖x‖ = norm(x).
  virtual bool euclidean() const { return true; }
  /// y ← G x
  virtual void apply_metric(ConstVectorView x, VectorView y) const { copy(x, y); }
  /// Ax ← A x and Gx ← G x; operators that can share work between the two override this.
  virtual void apply_both(ConstVectorView x, VectorView Ax, VectorView Gx) const {
    apply(x, Ax);
    apply_metric(x, Gx);
  }

  /// Whether ⟨x, Ax⟩ = 0 for every x (A is skew in its inner product): undamped oscillators at a positive
  /// semidefinite stiffness. Eigenvalues are then imaginary and ‖exp(tA)‖ = 1.
  virtual bool skew() const { return false; }
  /// An upper bound of |λ| over all eigenvalues, if one is cheap to have.
  virtual std::optional<double> spectral_bound() const { return std::nullopt; }

  /// Whether `shifted_inverse` is available.
  virtual bool can_shift_invert() const { return false; }
  /// (I − σA)⁻¹. `previous`, an earlier result of an operator of the same kind (or null), may be recycled:
  /// its symbolic analysis, or its factor as a preconditioner. Throws NotPositiveDefinite when σ is too
  /// large for an indefinite stiffness; a smaller σ then works.
  virtual std::unique_ptr<ShiftedInverse> shifted_inverse(double sigma,
                                                          std::unique_ptr<ShiftedInverse> previous) const;

 private:
  OperatorId id_ = OperatorId::next();
};

/// √(x·Gx); throws IndefiniteMetric where the square is negative by more than round-off.
double norm_from_metric(ConstVectorView x, ConstVectorView Gx);
/// ‖x‖ in the operator's inner product; `work` is overwritten (same size as x).
double metric_norm(const LinearOperator& a, ConstVectorView x, VectorView work);
double metric_norm(const LinearOperator& a, ConstVectorView x);

}  // namespace stiffly
