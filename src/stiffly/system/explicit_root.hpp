// The reformulation u = (Ω M^{1/2} x, M^{1/2} v) with Ω = √(M^{-1/2} K M^{-1/2}) written out as a dense
// matrix.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "stiffly/linalg/linear_operator.hpp"
#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// T: y = (x, v) ↦ u, for each connected component of the system on its own. Paper 000 §3.1 and App. A.
class ExplicitRoot {
 public:
  /// Unknowns of one component above which a dense root is refused (the fourth of a gigabyte per matrix).
  static constexpr std::size_t size_limit = 6000;
  /// Components above this size take the Newton iteration instead of an eigendecomposition.
  static constexpr std::size_t newton_from = 1500;

  /// Throws InputError beyond the size limit and NotPositiveDefinite where K is not.
  ExplicitRoot(const MassMatrix& mass, const BlockMatrix& stiffness);

  std::size_t unknowns() const { return n_; }
  /// u ← T y
  void transform(ConstVectorView y, VectorView u) const;
  /// y ← T⁻¹ u
  void restore(ConstVectorView u, VectorView y) const;

 private:
  struct Component {
    std::vector<std::size_t> unknowns;
    Eigen::MatrixXd position, position_inverse;  ///< Ω M^{1/2} and its inverse
    Eigen::MatrixXd velocity, velocity_inverse;  ///< M^{1/2} and its inverse
  };
  std::size_t n_;
  std::vector<Component> components_;
};

/// T J T⁻¹ with the Euclidean inner product.
class RootOperator final : public LinearOperator {
 public:
  RootOperator(const ExplicitRoot& root, const LinearOperator& jacobian);
  std::size_t size() const override { return jacobian_->size(); }
  const Backend& backend() const override { return jacobian_->backend(); }
  void apply(ConstVectorView u, VectorView Ju) const override;
  bool can_shift_invert() const override { return jacobian_->can_shift_invert(); }
  std::unique_ptr<ShiftedInverse> shifted_inverse(double sigma,
                                                  std::unique_ptr<ShiftedInverse> previous) const override;

 private:
  const ExplicitRoot* root_;
  const LinearOperator* jacobian_;
  mutable Vector y_, Jy_;
};

}  // namespace stiffly
