// Decompositions of small dense matrices, compiled once: each takes the compiler seconds wherever it is used.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace stiffly {

/// Of a symmetric matrix, ascending.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);
struct SymmetricDecomposition {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< A = V diag(values) Vᵀ
  bool converged = false;
};
SymmetricDecomposition symmetric_decomposition(const Eigen::MatrixXd& A);
/// Of any square matrix, in no order; not numbers where the iteration does not converge.
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);
/// A⁻¹ by LU with exchange of rows.
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);
/// A⁻¹B, likewise.
Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// LLᵀ of a symmetric positive definite matrix. Effort is counted by the forces that need it.
class DenseCholesky {
 public:
  /// Throws NotPositiveDefinite.
  explicit DenseCholesky(const Eigen::MatrixXd& A);
  /// A⁻¹b
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  /// A⁻¹
  Eigen::MatrixXd inverse() const;

 private:
  Eigen::LLT<Eigen::MatrixXd> factor_;
};
/// The square Q of A = QR: columns beyond those of A are orthogonal to them.
Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& A);

}  // namespace stiffly
