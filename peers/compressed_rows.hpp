// Scalar sparse matrices made of the system's blocks, as other libraries want them.
#pragma once

#include <cstdint>
#include <vector>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly::study {

/// Compressed rows, columns ascending.
struct CompressedRows {
  std::vector<std::int64_t> starts = {0}, columns;
  std::vector<double> values;

  std::int64_t rows() const { return static_cast<std::int64_t>(starts.size()) - 1; }
};

/// Entries of the order-N matrix in a pattern of blocks, all zero.
CompressedRows expanded(const BlockPattern& pattern);
/// out ← matrix, which must have the pattern that `out` was expanded from.
void expand(const BlockMatrix& matrix, CompressedRows& out);

/// K + cC + mM in a block matrix, antisymmetric part included.
BlockMatrix combined(const Tangent& tangent, double c, const MassMatrix& mass, double m);

/// Matrices of order 2N in y = (x, v). Every diagonal entry is in the pattern, zero or not.
class FirstOrderMatrix {
 public:
  /// Fixes the pattern; later tangents must have the same one.
  FirstOrderMatrix(const Tangent& tangent, const MassMatrix& mass);

  const CompressedRows& rows() const { return rows_; }
  /// J = [[0, I], [−M⁻¹K, −M⁻¹C]] of y' = F(y). Throws SimulationError where M is not diagonal: M⁻¹K would
  /// be full.
  void set_jacobian(const Tangent& tangent, const MassMatrix& mass);
  /// ∂R/∂y + σ ∂R/∂y' = [[σI, −I], [K, C + σM]] of R(y, y') = (x' − v, M v' − f).
  void set_residual(const Tangent& tangent, const MassMatrix& mass, double sigma);

 private:
  void set(double xx, double xv, const BlockMatrix& vx, const BlockMatrix& vv);

  std::size_t n_;
  bool coupled_;  // whether the lower right part has the pattern of K; otherwise it is diagonal
  CompressedRows rows_;
};

}  // namespace stiffly::study
