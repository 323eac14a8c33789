#include "stiffly/forces/strain6.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/linalg/matrix3.hpp"
#include "stiffly/linalg/symmetric_eigen.hpp"

namespace stiffly {

namespace {

/// Whether A = LLᵀ with positive pivots, of n×n numbers.
bool positive_definite(const double* A, int n) {
  double L[81];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double rest = A[n * j + i];
      for (int k = 0; k < j; ++k) rest -= L[n * i + k] * L[n * j + k];
      if (i == j && !(rest > 0)) return false;
      L[n * i + j] = i == j ? std::sqrt(rest) : rest / L[n * j + j];
    }
  return true;
}

}  // namespace

template <class Matrix>
Matrix positive_part(const Matrix& A) {
  if (positive_definite(A.data(), Matrix::RowsAtCompileTime)) return A;
  return SymmetricEigen<Matrix>(A).of([](double value) { return std::max(0.0, value); });
}
template Eigen::Matrix3d positive_part(const Eigen::Matrix3d&);
template Matrix6d positive_part(const Matrix6d&);
template Matrix9d positive_part(const Matrix9d&);

// In the frame of the eigenvectors of S: X_ij = Y_ij/(σ_i + σ_j).
Eigen::Matrix3d solve_lyapunov(const Eigen::Matrix3d& S, const Eigen::Matrix3d& Y) {
  const SymmetricEigen<Eigen::Matrix3d> eigen(S);
  const Eigen::Matrix3d& V = eigen.vectors;
  Eigen::Matrix3d X = V.transpose() * Y * V;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) X(i, j) /= eigen.values(i) + eigen.values(j);
  return V * X * V.transpose();
}

}  // namespace stiffly
