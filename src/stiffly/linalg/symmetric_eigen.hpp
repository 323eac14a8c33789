// Eigenvalues of small symmetric matrices whose size is known. Eigen's solver takes the compiler three
// seconds for each size and wherever it is used.
#pragma once

#include <Eigen/Core>

namespace stiffly {

/// Turns the n×n numbers of a symmetric A into a diagonal matrix, and the columns of V with them: V D Vᵀ
/// stays what it was. For n = 3, 6 and 9.
template <int n>
void diagonalise(double* A, double* V);

/// A = V diag(values) Vᵀ, in no order.
template <class Matrix>
struct SymmetricEigen {
  explicit SymmetricEigen(const Matrix& A) : vectors(Matrix::Identity()) {
    Matrix D = A;
    diagonalise<Matrix::RowsAtCompileTime>(D.data(), vectors.data());
    values = D.diagonal();
  }
  /// V diag(f(values)) Vᵀ
  template <class Function>
  Matrix of(const Function& f) const {
    return vectors * values.unaryExpr(f).asDiagonal() * vectors.transpose();
  }

  Eigen::Vector<double, Matrix::RowsAtCompileTime> values;
  Matrix vectors;
};

}  // namespace stiffly
