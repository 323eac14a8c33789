#include "stiffly/system/mass_matrix.hpp"

#include <fmt/format.h>

#include <cmath>
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "stiffly/error.hpp"
#include "stiffly/linalg/on_host.hpp"

namespace stiffly {
namespace {

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

}  // namespace

MassMatrix MassMatrix::diagonal(std::span<const double> masses) {
  std::vector<double> inverse(masses.size());
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (!(std::isfinite(masses[i]) && masses[i] > 0))
      throw InputError(fmt::format("mass of unknown {} must be positive and finite, not {}", i, masses[i]));
    inverse[i] = 1.0 / masses[i];
  }
  MassMatrix m;
  m.size_ = masses.size();
  m.diagonal_ = Vector(masses);
  m.inverse_diagonal_ = Vector(std::span<const double>(inverse));
  return m;
}

MassMatrix MassMatrix::blocks(std::span<const Eigen::Matrix3d> masses) {
  MassMatrix m;
  m.size_ = 3 * masses.size();
  m.matrix_ = BlockMatrix(BlockPattern::symmetric(masses.size(), 3, {}));
  m.inverse_blocks_ = BlockMatrix(m.matrix_.shared_pattern());
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const Eigen::Matrix3d& mass = masses[i];
    if (!mass.allFinite() || !mass.isApprox(mass.transpose(), 1e-12) || mass.llt().info() != Eigen::Success)
      throw NotPositiveDefinite(
          fmt::format("the mass matrix of particle {} is not symmetric positive definite", i),
          static_cast<long>(3 * i));
    Eigen::Map<RowMajor3>(m.matrix_.block(static_cast<std::int64_t>(i))) = mass;
    Eigen::Map<RowMajor3>(m.inverse_blocks_.block(static_cast<std::int64_t>(i))) = mass.inverse();
  }
  return m;
}

MassMatrix MassMatrix::sparse(BlockMatrix matrix) {
  MassMatrix m;
  m.size_ = matrix.unknowns();
  m.factor_ = std::make_shared<SparseCholesky>();
  m.factor_->factorize(matrix);
  m.matrix_ = std::move(matrix);
  return m;
}

MassMatrix MassMatrix::on(const Backend& backend) const {
  MassMatrix m = *this;
  m.backend_ = &backend;
  for (Vector* d : {&m.diagonal_, &m.inverse_diagonal_}) *d = Vector(to_host(*d), backend);
  return m;
}

void MassMatrix::apply(ConstVectorView x, VectorView y) const {
  if (is_diagonal())
    multiply(diagonal_, x, y);
  else
    matrix_.apply(x, y);
}

double MassMatrix::norm(ConstVectorView x, VectorView work) const {
  apply(x, work);
  const double square = dot(x, work);
  return square < 0 ? 0 : std::sqrt(square);  // what is not a number stays so
}

void MassMatrix::solve(ConstVectorView b, VectorView x) const {
  if (is_diagonal()) {
    multiply(inverse_diagonal_, b, x);
  } else if (factor_) {
    factor_->solve(b, x);
  } else {
    const Vector rhs(b);  // b and x may be the same
    inverse_blocks_.apply(rhs, x);
  }
}

void MassMatrix::add_to(double a, BlockMatrix& S) const {
  if (is_diagonal())
    read_on_host(diagonal_, [&](std::span<const double> d) { S.add_diagonal(a, d); });
  else
    S.add(a, matrix_);
}

Eigen::MatrixXd MassMatrix::to_dense() const {
  if (!is_diagonal()) return matrix_.to_dense();
  const std::vector<double> d = to_host(diagonal_);
  return Eigen::Map<const Eigen::VectorXd>(d.data(), static_cast<Eigen::Index>(d.size())).asDiagonal();
}

}  // namespace stiffly
