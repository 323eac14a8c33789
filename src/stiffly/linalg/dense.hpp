// Dense routines: matrices small enough to be written out. Oracles for everything else, and the small
// problems inside the large ones.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "stiffly/linalg/linear_operator.hpp"

namespace stiffly {

/// Powers of two d_i that make row and column norms of D⁻¹AD alike (Parlett & Reinsch 1969).
Eigen::VectorXd balancing(Eigen::MatrixXd A);

/// e^A by balancing, scaling and squaring with a Padé approximant.
Eigen::MatrixXd exponential(const Eigen::MatrixXd& A);

/// All columns of an operator: A e_1 … A e_n. For oracles; n products.
Eigen::MatrixXd to_dense(const LinearOperator& a);
/// The metric G of an operator, likewise.
Eigen::MatrixXd metric_to_dense(const LinearOperator& a);

/// A dense matrix as an operator, with an optional SPD metric; offers shifted solves by LU.
class DenseOperator final : public LinearOperator {
 public:
  explicit DenseOperator(Eigen::MatrixXd matrix) : matrix_(std::move(matrix)) {}
  DenseOperator(Eigen::MatrixXd matrix, Eigen::MatrixXd metric)
      : matrix_(std::move(matrix)), metric_(std::move(metric)) {}

  std::size_t size() const override { return static_cast<std::size_t>(matrix_.rows()); }
  void apply(ConstVectorView x, VectorView y) const override;
  bool euclidean() const override { return !metric_.has_value(); }
  void apply_metric(ConstVectorView x, VectorView y) const override;
  /// Exact test up to round-off of GA + (GA)ᵀ = 0.
  bool skew() const override;
  /// The spectral norm in the metric where A is skew; nothing otherwise.
  std::optional<double> spectral_bound() const override;
  bool can_shift_invert() const override { return true; }
  std::unique_ptr<ShiftedInverse> shifted_inverse(double sigma,
                                                  std::unique_ptr<ShiftedInverse> previous) const override;
  const Eigen::MatrixXd& matrix() const { return matrix_; }

 private:
  Eigen::MatrixXd matrix_;
  std::optional<Eigen::MatrixXd> metric_;
};

}  // namespace stiffly
