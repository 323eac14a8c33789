// Memory for φ-functions of a batch.
#pragma once

#include "stiffly/fibres/batch_array.hpp"
#include "stiffly/fibres/batch_layout.hpp"

namespace stiffly {

/// What BatchPhi needs, for batches of so many cross-sections or fewer: the vectors of the spaces are most of
/// it.
struct PhiWorkspace {
  static constexpr int most_vectors = 64;  ///< of a space
  static constexpr int most_border = 4;    ///< of b_1, b_2, …

  /// `parts`: of a step that its nodes are multiples of.
  PhiWorkspace(int lanes, int sections, int parts);
  static std::size_t memory(int lanes, int sections, int parts);

  LineVector direction, across, turning, held;  ///< of the tangent
  LineVector basis;
  LineVector compression;  ///< of the matrix to the space, and products of its vectors with b
  LineVector products;
  LineVector small;  ///< eight small matrices
  LineVector trail, kept, previous,
      chosen;  ///< coefficients: within a step, those that are taken, at its end
  LineVector elastic, elastic_of_b, momentum_of_b, momentum, force, metric, right, zero;
  LineVector solution, moved;  ///< (x, v) so far, and a right-hand side
};

}  // namespace stiffly
