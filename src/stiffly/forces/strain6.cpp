#include "stiffly/forces/strain6.hpp"

#include <Eigen/Eigenvalues>

#include "stiffly/linalg/matrix3.hpp"

namespace stiffly {

template <class Matrix>
Matrix positive_part(const Matrix& A) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(A);
  if (eigen.eigenvalues()(0) >= 0) return A;
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}
template Eigen::Matrix3d positive_part(const Eigen::Matrix3d&);
template Matrix6d positive_part(const Matrix6d&);
template Matrix9d positive_part(const Matrix9d&);

// In the frame of the eigenvectors of S: X_ij = Y_ij/(σ_i + σ_j).
Eigen::Matrix3d solve_lyapunov(const Eigen::Matrix3d& S, const Eigen::Matrix3d& Y) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(S);
  const Eigen::Matrix3d& V = eigen.eigenvectors();
  Eigen::Matrix3d X = V.transpose() * Y * V;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) X(i, j) /= eigen.eigenvalues()(i) + eigen.eigenvalues()(j);
  return V * X * V.transpose();
}

}  // namespace stiffly
