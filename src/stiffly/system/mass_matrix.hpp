// The mass matrix M: diagonal, 3×3 blocks, or sparse.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "stiffly/linalg/block_matrix.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"

namespace stiffly {

/// Symmetric positive definite; made by one of the factories, which throw InputError (naming the particle) on
/// masses that are not positive and finite and NotPositiveDefinite where a matrix is not.
class MassMatrix {
 public:
  /// One mass per unknown.
  static MassMatrix diagonal(std::span<const double> masses);
  /// One 3×3 matrix per particle (inhomogeneous or direction-dependent inertia).
  static MassMatrix blocks(std::span<const Eigen::Matrix3d> masses);
  /// A sparse matrix, such as the consistent mass of finite elements.
  static MassMatrix sparse(BlockMatrix matrix);

  /// The same matrix for vectors of another backend.
  MassMatrix on(const Backend& backend) const;

  std::size_t size() const { return size_; }
  /// Of the vectors it is applied to.
  const Backend& backend() const { return *backend_; }
  bool is_diagonal() const { return !diagonal_.empty(); }
  /// y ← M x
  void apply(ConstVectorView x, VectorView y) const;
  /// √(xᵀMx), with room for Mx
  double norm(ConstVectorView x, VectorView work) const;
  /// x ← M⁻¹ b; x and b may be the same vector.
  void solve(ConstVectorView b, VectorView x) const;
  /// S ← S + a M; S must have room for the blocks of M.
  void add_to(double a, BlockMatrix& S) const;
  Eigen::MatrixXd to_dense() const;

 private:
  const Backend* backend_ = &host_backend();
  std::size_t size_ = 0;
  Vector diagonal_, inverse_diagonal_;
  BlockMatrix matrix_, inverse_blocks_;
  std::shared_ptr<SparseCholesky> factor_;
};

}  // namespace stiffly
