#include "stiffly/linalg/dense.hpp"

#include <cmath>
#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>

#include "stiffly/effort.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;
using ConstMap = Eigen::Map<const Eigen::VectorXd>;

ConstMap map(ConstVectorView x) { return {host(x).data(), static_cast<Eigen::Index>(x.size())}; }
Map map(VectorView x) { return {host(x).data(), static_cast<Eigen::Index>(x.size())}; }

class DenseShiftedInverse final : public ShiftedInverse {
 public:
  explicit DenseShiftedInverse(const Eigen::MatrixXd& shifted) : factor_(shifted) {}
  void solve(ConstVectorView b, VectorView x) const override { map(x) = factor_.solve(map(b)); }

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

/// What a linear map of the operator's space makes of e_1 … e_n.
template <class Map>
Eigen::MatrixXd columns(const LinearOperator& a, const Map& map) {
  const auto n = static_cast<Eigen::Index>(a.size());
  Eigen::MatrixXd out(n, n);
  Vector column(a.size(), a.backend());
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(n, j);
    map(Vector(std::span<const double>(unit.data(), a.size()), a.backend()), column);
    a.backend().download(a.size(), column.data(), out.col(j).data());
  }
  return out;
}

}  // namespace

// Matrices of oscillators in (x,v) have entries 1 and k/m side by side: without this their exponential loses
// digits.
Eigen::VectorXd balancing(Eigen::MatrixXd A) {
  const Eigen::Index n = A.rows();
  Eigen::VectorXd d = Eigen::VectorXd::Ones(n);
  for (bool changed = true; changed;) {
    changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      double column = A.col(i).lpNorm<1>() - std::abs(A(i, i));
      double row = A.row(i).lpNorm<1>() - std::abs(A(i, i));
      if (column == 0 || row == 0) continue;
      const double before = column + row;
      double f = 1;
      while (column < row / 2) f *= 2, column *= 4;
      while (column >= row * 2) f /= 2, column /= 4;
      if (f == 1 || column + row >= 0.95 * before * f) continue;
      changed = true;
      d(i) *= f;
      A.col(i) *= f;
      A.row(i) /= f;
    }
  }
  return d;
}

Eigen::MatrixXd exponential(const Eigen::MatrixXd& A) {
  add_effort(effort::cubic(A.rows(), 35));
  const Eigen::VectorXd d = balancing(A);
  const Eigen::MatrixXd balanced = d.cwiseInverse().asDiagonal() * A * d.asDiagonal();
  const Eigen::MatrixXd e = balanced.exp();
  return d.asDiagonal() * e * d.cwiseInverse().asDiagonal();
}

Eigen::MatrixXd to_dense(const LinearOperator& a) {
  return columns(a, [&](ConstVectorView x, VectorView y) { a.apply(x, y); });
}

Eigen::MatrixXd metric_to_dense(const LinearOperator& a) {
  return columns(a, [&](ConstVectorView x, VectorView y) { a.apply_metric(x, y); });
}

void DenseOperator::apply(ConstVectorView x, VectorView y) const { map(y).noalias() = matrix_ * map(x); }

void DenseOperator::apply_metric(ConstVectorView x, VectorView y) const {
  if (metric_)
    map(y).noalias() = *metric_ * map(x);
  else
    copy(x, y);
}

bool DenseOperator::skew() const {
  const Eigen::MatrixXd GA = metric_ ? Eigen::MatrixXd(*metric_ * matrix_) : matrix_;
  return (GA + GA.transpose()).cwiseAbs().maxCoeff() <= 1e-13 * GA.cwiseAbs().maxCoeff();
}

std::optional<double> DenseOperator::spectral_bound() const {
  if (!skew()) return std::nullopt;
  return 1.0001 * eigenvalues(matrix_).cwiseAbs().maxCoeff();
}

std::unique_ptr<ShiftedInverse> DenseOperator::shifted_inverse(double sigma,
                                                               std::unique_ptr<ShiftedInverse>) const {
  return std::make_unique<DenseShiftedInverse>(Eigen::MatrixXd::Identity(matrix_.rows(), matrix_.cols()) -
                                               sigma * matrix_);
}

}  // namespace stiffly
