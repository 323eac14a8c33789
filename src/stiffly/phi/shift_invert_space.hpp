// A Krylov space of (I − γÃ)⁻¹ for the bordered matrix Ã = [[hJ, B], [0, N]].
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiffly/linalg/linear_operator.hpp"

namespace stiffly {

/// X̃V = VH + h v e_mᵀ with X̃ = (I − γÃ)⁻¹, by one solve with I − γhJ per vector.
///
/// The border carries the powers of t, so that u' = hJu + Σ_j b_j t^{j−1}/(j−1)!, u(0) = b_0 is one
/// homogeneous equation: its entries are a_j = η(t/γ)^{j−1}/(j−1)!, a_j' = a_{j−1}/γ, and column j of B is
/// γ^{j−1}b_j/η. Time in units of γ and η ≈ max‖γ^j b_j‖ keep the border as well conditioned as the rest. It
/// counts infinitely much in the inner product: the first p vectors span it, and all later ones have no part
/// in it and are orthonormal in the operator's metric. So the powers of t are represented exactly, and what
/// remains is Galerkin's method for u in the metric. As b_1 … b_p enter through a solve, rough ones are
/// smoothed before they reach the space.
class ShiftInvertSpace {
 public:
  /// Forgets the basis and starts at b_0 (`b` holds b_0 … b_p, empty views are zero; they and the other
  /// arguments must stay alive). `inverse` is (I − γhJ)⁻¹.
  void begin(const LinearOperator& J, const ShiftedInverse& inverse, double pole,
             std::span<const ConstVectorView> b);
  /// One more dimension, unless the space is invariant already.
  void extend();

  int size() const { return m_; }  ///< m
  int border() const { return static_cast<int>(p_); }
  bool breakdown() const { return breakdown_; }  ///< the space is invariant: h = 0
  auto H() const { return h_.topLeftCorner(m_, m_); }
  double next() const { return breakdown_ ? 0.0 : h_(m_, m_ - 1); }  ///< h
  Eigen::VectorXd start() const { return beta_ * Eigen::VectorXd::Unit(m_, 0); }

  /// ‖Σ c_i v_i‖ of the large parts.
  double norm(const Eigen::VectorXd& c) const;
  /// Σ |c_i| ‖v_i‖ over the border, norm of the rest: what round-off in such a sum is relative to.
  double magnitude(const Eigen::VectorXd& c) const;
  /// y ← Σ c_i v_i, large parts.
  void combine(const Eigen::VectorXd& c, VectorView y) const;
  /// ‖X̃v_k − (VH)_k‖/‖X̃v_k‖ as found with one product and one solve: the accuracy of the solves.
  double solve_error(double step) const;

 private:
  void adopt(Eigen::VectorXd small);
  void multi_axpy_minus(std::vector<double>& c, std::size_t first, std::size_t count, VectorView x) const;
  void right_hand_side(int k, VectorView y) const;
  Eigen::VectorXd border_solve(Eigen::VectorXd small) const;
  std::span<const Vector> duals() const { return jacobian_->euclidean() ? basis_ : metric_; }

  const LinearOperator* jacobian_ = nullptr;
  const ShiftedInverse* inverse_ = nullptr;
  double pole_ = 0;
  std::vector<ConstVectorView> b_;
  std::size_t p_ = 0;
  int m_ = 0;
  bool breakdown_ = false;
  double unit_ = 1;  // η
  double beta_ = 0;
  std::vector<Vector> basis_;   // large parts of v_1 … v_{m+1}
  std::vector<Vector> metric_;  // G times them; unused where G = I
  Eigen::MatrixXd small_;       // p × (m+1), their border parts
  Eigen::MatrixXd h_;
  Eigen::MatrixXd gram_;  // ⟨v_i, v_k⟩ for i among the first p: these are not orthogonal to the others
  Vector work_;
};

}  // namespace stiffly
