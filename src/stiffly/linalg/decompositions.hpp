// Decompositions of small dense matrices, compiled once: each takes the compiler seconds wherever it is used.
#pragma once

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
/// The square Q of A = QR: columns beyond those of A are orthogonal to them.
Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& A);

}  // namespace stiffly
