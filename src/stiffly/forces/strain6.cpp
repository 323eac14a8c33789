#include "stiffly/forces/strain6.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/linalg/matrix3.hpp"
#include "stiffly/linalg/symmetric_eigen.hpp"

namespace stiffly {
namespace {

/// Whether A + εI = LLᵀ with positive pivots, of n×n numbers: there are no negative eigenvalues but for
/// round-off.
template <int n>
bool positive(const double* A) {
  double L[n * n], largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, A[(n + 1) * i]);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double rest = A[n * j + i] + (i == j ? 1e-14 * n * largest : 0);
      for (int k = 0; k < j; ++k) rest -= L[n * i + k] * L[n * j + k];
      if (i == j && !(rest > 0)) return false;
      L[n * i + j] = i == j ? std::sqrt(rest) : rest / L[n * j + j];
    }
  return true;
}

}  // namespace

template <class Matrix>
Matrix positive_part(const Matrix& A) {
  if (positive<Matrix::RowsAtCompileTime>(A.data())) return A;
  return SymmetricEigen<Matrix>(A).of([](double value) { return std::max(0.0, value); });
}
template Eigen::Matrix3d positive_part(const Eigen::Matrix3d&);
template Matrix6d positive_part(const Matrix6d&);
template Matrix9d positive_part(const Matrix9d&);

Lyapunov::Lyapunov(const Eigen::Matrix3d& S) {
  const SymmetricEigen<Eigen::Matrix3d> eigen(S);
  axes_ = eigen.vectors;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) divisor_(i, j) = eigen.values(i) + eigen.values(j);
}

// In the frame of the eigenvectors of S: X_ij = Y_ij/(σ_i + σ_j).
Eigen::Matrix3d Lyapunov::solve(const Eigen::Matrix3d& Y) const {
  const Eigen::Matrix3d X = (axes_.transpose() * Y * axes_).cwiseQuotient(divisor_);
  return axes_ * X * axes_.transpose();
}

}  // namespace stiffly
