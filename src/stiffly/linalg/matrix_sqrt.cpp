#include "stiffly/linalg/matrix_sqrt.hpp"

#include <fmt/format.h>

#include <cmath>
#include <Eigen/Cholesky>
#include <limits>

#include "stiffly/error.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly {
namespace {

using Eigen::MatrixXd;

void check(const MatrixXd& A) {
  if (A.rows() != A.cols())
    throw InputError(fmt::format("square root: the matrix is {} × {}", A.rows(), A.cols()));
  if (!A.allFinite()) throw SimulationError("square root: the matrix is not finite");
  if ((A - A.transpose()).cwiseAbs().maxCoeff() > 1e-10 * A.cwiseAbs().maxCoeff())
    throw InputError("square root: the matrix is not symmetric");
}

/// The first row at which elimination meets a pivot that is not positive, -1 if there is none.
long failing_row(MatrixXd A) {
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    if (!(A(k, k) > 0)) return k;
    const Eigen::Index rest = A.rows() - k - 1;
    A.bottomRightCorner(rest, rest).noalias() -= A.col(k).tail(rest) * A.row(k).tail(rest) / A(k, k);
  }
  return -1;
}

[[noreturn]] void not_positive_definite(const MatrixXd& A) {
  const long row = failing_row(A);
  throw NotPositiveDefinite(fmt::format("square root: the matrix is not positive definite (row {})", row),
                            row);
}

/// ‖A‖_1 ‖A‖_∞ ≥ ‖A‖_2²
double norm_product(const MatrixXd& A) {
  return A.cwiseAbs().colwise().sum().maxCoeff() * A.cwiseAbs().rowwise().sum().maxCoeff();
}

}  // namespace

MatrixXd sqrt_by_eigen(const MatrixXd& spd) {
  if (spd.size() == 0) return spd;
  check(spd);
  const SymmetricDecomposition eigen = symmetric_decomposition(spd);
  if (!eigen.converged) throw SimulationError("square root: the eigenvalues did not converge");
  if (!(eigen.values.minCoeff() > 0)) not_positive_definite(spd);
  return eigen.vectors * eigen.values.cwiseSqrt().asDiagonal() * eigen.vectors.transpose();
}

NewtonSqrt sqrt_by_newton(const MatrixXd& spd, const NewtonSqrtOptions& options) {
  if (spd.size() == 0) return {spd, 0};
  check(spd);
  const Eigen::LLT<MatrixXd> cholesky(spd);
  if (cholesky.info() != Eigen::Success) not_positive_definite(spd);
  const MatrixXd R = cholesky.matrixU();

  MatrixXd U = R;
  const double settled = 10 * std::sqrt(std::numeric_limits<double>::epsilon());
  bool scaling = options.scaled;
  for (int k = 1; k <= options.max_iterations; ++k) {
    const MatrixXd inverse = stiffly::inverse(U);
    const double mu = scaling ? std::pow(norm_product(inverse) / norm_product(U), 0.25) : 1;
    const MatrixXd next = 0.5 * (mu * U + inverse.transpose() / mu);
    const double change = (next - U).norm() / next.norm();
    U = next;
    // Near the end the plain iteration converges quadratically: after a change of √ε nothing is left to gain,
    // and a scale factor off by its own error of estimation would only disturb.
    if (change < settled) {
      const MatrixXd root = U.transpose() * R;
      return {0.5 * (root + root.transpose()), k};
    }
    if (change < 1e-2) scaling = false;
  }
  throw SimulationError(fmt::format("square root: Newton's iteration did not converge in {} iterations{}",
                                    options.max_iterations, options.scaled ? "" : "; it is not scaled"));
}

}  // namespace stiffly
