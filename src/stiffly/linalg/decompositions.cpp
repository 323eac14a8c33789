#include "stiffly/linalg/decompositions.hpp"

#include <Eigen/Dense>

#include "stiffly/effort.hpp"

namespace stiffly {

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A) {
  add_effort(effort::cubic(A.rows(), 3));
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricDecomposition symmetric_decomposition(const Eigen::MatrixXd& A) {
  add_effort(effort::cubic(A.rows(), 12));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
  if (eigen.info() != Eigen::Success) return {};
  return {eigen.eigenvalues(), eigen.eigenvectors(), true};
}

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A) {
  add_effort(effort::cubic(A.rows(), 12));
  return Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues();
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& A) {
  add_effort(effort::cubic(A.rows(), 2));
  return A.partialPivLu().inverse();
}

Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  add_effort(effort::cubic(A.rows(), 1));
  return A.partialPivLu().solve(B);
}

Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& A) {
  add_effort(effort::cubic(A.rows(), 2));
  return Eigen::HouseholderQR<Eigen::MatrixXd>(A).householderQ();
}

}  // namespace stiffly
