#include "stiffly/linalg/decompositions.hpp"

#include <cmath>
#include <complex>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <limits>

#include "stiffly/effort.hpp"
#include "stiffly/error.hpp"

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

// From the diagonal blocks of the real Schur form, as Eigen::EigenSolver does; its eigenvectors would take
// the compiler seconds, used or not.
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A) {
  add_effort(effort::cubic(A.rows(), 12));
  const Eigen::Index n = A.rows();
  Eigen::VectorXcd out = Eigen::VectorXcd::Constant(n, std::numeric_limits<double>::quiet_NaN());
  const Eigen::RealSchur<Eigen::MatrixXd> schur(A, false);
  if (schur.info() != Eigen::Success) return out;
  const Eigen::MatrixXd& T = schur.matrixT();
  for (Eigen::Index i = 0; i < n; ++i) {
    if (i == n - 1 || T(i + 1, i) == 0) {
      out(i) = T(i, i);
      continue;
    }
    const double p = 0.5 * (T(i, i) - T(i + 1, i + 1));
    double lower = T(i + 1, i), upper = T(i, i + 1);
    const double largest = std::max(std::abs(p), std::max(std::abs(lower), std::abs(upper)));
    lower /= largest;
    upper /= largest;
    const double p0 = p / largest;
    const double z = largest * std::sqrt(std::abs(p0 * p0 + lower * upper));
    out(i) = std::complex<double>(T(i + 1, i + 1) + p, z);
    out(i + 1) = std::complex<double>(T(i + 1, i + 1) + p, -z);
    ++i;
  }
  return out;
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& A) {
  add_effort(effort::cubic(A.rows(), 2));
  return A.partialPivLu().inverse();
}

Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  add_effort(effort::cubic(A.rows(), 1));
  return A.partialPivLu().solve(B);
}

DenseCholesky::DenseCholesky(const Eigen::MatrixXd& A) {
  factor_.compute(A);
  if (factor_.info() != Eigen::Success)
    throw NotPositiveDefinite("a dense matrix is not positive definite", -1);
}

Eigen::VectorXd DenseCholesky::solve(const Eigen::VectorXd& b) const { return factor_.solve(b); }

Eigen::MatrixXd DenseCholesky::inverse() const {
  return factor_.solve(Eigen::MatrixXd::Identity(factor_.rows(), factor_.rows()));
}

Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& A) {
  add_effort(effort::cubic(A.rows(), 2));
  return Eigen::HouseholderQR<Eigen::MatrixXd>(A).householderQ();
}

}  // namespace stiffly
