// One connected piece of a sparse Cholesky factorisation; the only place that knows CHOLMOD (or Eigen in its
// place).
#pragma once

#include <memory>
#include <vector>

#include "stiffly/linalg/block_matrix.hpp"

namespace stiffly {

class CholeskyPart {
 public:
  /// Symbolic analysis of the rows and columns `rows` (ascending) of the pattern.
  CholeskyPart(const BlockPattern& pattern, std::vector<int> rows);
  ~CholeskyPart();
  CholeskyPart(const CholeskyPart&) = delete;
  CholeskyPart& operator=(const CholeskyPart&) = delete;

  /// The first row at which the matrix shows not to be positive definite, −1 if the factor is there.
  long factorize(const BlockMatrix& matrix);
  /// Entries of x that belong to this part ← A⁻¹ b.
  void solve(const double* b, double* x) const;
  double factor_entries() const;
  /// Additions and multiplications of a factorisation; 0 where they are not known.
  double operations() const;

 private:
  struct Factor;
  std::vector<int> rows_;
  int block_size_;
  std::unique_ptr<Factor> factor_;
};

}  // namespace stiffly
