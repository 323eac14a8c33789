// One number per pair of particles, the same in all directions: a third of the work of 3×3 blocks.
#pragma once

#include <memory>
#include <vector>

#include "stiffly/linalg/block_matrix.hpp"

namespace stiffly {

/// S ⊗ I, on the pattern of a block matrix. For a network of springs at rest, where a block is −k n nᵀ, the
/// traces of the blocks give Σ k_ij (x_i − x_j): the linear Jacobian of paper 004 eq. 50, which is stiffer
/// than the true one.
class ScalarMatrix {
 public:
  explicit ScalarMatrix(std::shared_ptr<const BlockPattern> pattern);

  /// S ← S + a tr(block), resp. a tr(block)/3.
  void add_traces(double a, const BlockMatrix& matrix) { add(a, matrix); }
  void add_means(double a, const BlockMatrix& matrix) { add(a / pattern_->block_size(), matrix); }
  void apply(ConstVectorView x, VectorView y) const;
  /// z = D⁻¹ r
  void precondition(ConstVectorView r, VectorView z) const;

 private:
  void add(double a, const BlockMatrix& matrix);

  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<double> values_;
};

}  // namespace stiffly
