// Sparse Cholesky factors of symmetric positive definite block matrices.
#pragma once

#include <memory>

#include "stiffly/linalg/block_matrix.hpp"

namespace stiffly {

/// A = L Lᵀ, through CHOLMOD (or Eigen where the library was built without it). The symbolic analysis is done
/// once per pattern and kept; components that are not connected (independent bodies, fibres) are factorised
/// and solved side by side.
class SparseCholesky {
 public:
  SparseCholesky();
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;

  /// Throws NotPositiveDefinite (with the row) if A is not; the object can then be used again.
  void factorize(const BlockMatrix& matrix);
  bool factorized() const;
  /// x ← A⁻¹ b; the two may be the same vector.
  void solve(ConstVectorView b, VectorView x) const;

  /// Entries of the factor.
  double factor_entries() const;
  /// Number of independent parts the work is divided into.
  std::size_t parts() const;
  /// How often a symbolic analysis was made.
  int analyses() const { return analyses_; }

 private:
  struct Part;
  void analyze(const BlockMatrix& matrix);

  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<std::unique_ptr<Part>> parts_;
  int analyses_ = 0;
  bool factorized_ = false;
};

}  // namespace stiffly
