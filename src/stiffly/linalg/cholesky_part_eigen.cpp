// The factorisation for builds without CHOLMOD (whose supernodal module is GPL).
#ifndef STIFFLY_WITH_CHOLMOD
#include <Eigen/SparseCholesky>

#include "stiffly/linalg/cholesky_part.hpp"

namespace stiffly {

struct CholeskyPart::Factor {
  Eigen::SparseMatrix<double> matrix;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::AMDOrdering<int>> ldlt;
  bool analyzed = false;
};

CholeskyPart::CholeskyPart(const BlockPattern& pattern, std::vector<int> rows)
    : rows_(std::move(rows)), block_size_(pattern.block_size()), factor_(std::make_unique<Factor>()) {}

CholeskyPart::~CholeskyPart() = default;

long CholeskyPart::factorize(const BlockMatrix& matrix) {
  const BlockPattern& pattern = matrix.pattern();
  std::vector<int> index(pattern.rows(), -1);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    index[static_cast<std::size_t>(rows_[i])] = static_cast<int>(i);
  const int b = block_size_;
  std::vector<Eigen::Triplet<double>> entries;
  for (const int row : rows_)
    for (std::int64_t k = pattern.row_begin(static_cast<std::size_t>(row));
         k < pattern.row_end(static_cast<std::size_t>(row)); ++k)
      for (int i = 0; i < b; ++i)
        for (int j = 0; j < b; ++j)
          entries.emplace_back(index[static_cast<std::size_t>(row)] * b + i,
                               index[static_cast<std::size_t>(pattern.column(k))] * b + j,
                               matrix.block(k)[i * b + j]);
  const auto n = static_cast<Eigen::Index>(rows_.size()) * b;
  factor_->matrix.resize(n, n);
  factor_->matrix.setFromTriplets(entries.begin(), entries.end());
  if (!factor_->analyzed) factor_->ldlt.analyzePattern(factor_->matrix);
  factor_->analyzed = true;
  factor_->ldlt.factorize(factor_->matrix);
  const Eigen::VectorXd d =
      factor_->ldlt.info() == Eigen::Success ? Eigen::VectorXd(factor_->ldlt.vectorD()) : Eigen::VectorXd();
  for (Eigen::Index i = 0; i < n; ++i)
    if (d.size() == 0 || !(d(i) > 0)) {
      const int local = d.size() == 0 ? 0 : factor_->ldlt.permutationPinv().indices()(i);
      return static_cast<long>(rows_[static_cast<std::size_t>(local / b)]) * b + local % b;
    }
  return -1;
}

void CholeskyPart::solve(const double* b, double* x) const {
  const int size = block_size_;
  Eigen::VectorXd gathered(static_cast<Eigen::Index>(rows_.size()) * size);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (int d = 0; d < size; ++d) gathered(static_cast<Eigen::Index>(i) * size + d) = b[rows_[i] * size + d];
  const Eigen::VectorXd solution = factor_->ldlt.solve(gathered);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (int d = 0; d < size; ++d) x[rows_[i] * size + d] = solution(static_cast<Eigen::Index>(i) * size + d);
}

double CholeskyPart::operations() const { return 0; }

double CholeskyPart::factor_entries() const {
  return static_cast<double>(factor_->ldlt.matrixL().nestedExpression().nonZeros());
}

}  // namespace stiffly
#endif
