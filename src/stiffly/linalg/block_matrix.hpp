// Sparse matrices of small dense blocks: 3×3 for particles in space, 1×1 for scalar unknowns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <Eigen/Core>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "stiffly/linalg/vector.hpp"

namespace stiffly {

/// Where the blocks of a square matrix are: compressed rows, columns ascending, every diagonal block present.
class BlockPattern {
 public:
  /// From pairs (row, column) of blocks, in any order, repetitions allowed; diagonal and transposed blocks
  /// are added, so that the pattern is symmetric.
  static std::shared_ptr<const BlockPattern> symmetric(std::size_t rows, int block_size,
                                                       std::vector<std::pair<int, int>> pairs);

  /// This one and more pairs, whose rows are eliminated in the order of this one: for what touches and parts
  /// again, where a new order would take longer to find than it saves.
  static std::shared_ptr<const BlockPattern> grown(const std::shared_ptr<const BlockPattern>& from,
                                                   std::vector<std::pair<int, int>> pairs);

  std::size_t rows() const { return starts_.size() - 1; }
  std::size_t blocks() const { return columns_.size(); }
  int block_size() const { return block_size_; }
  /// Unknowns: rows × block size.
  std::size_t unknowns() const { return rows() * static_cast<std::size_t>(block_size_); }
  std::int64_t row_begin(std::size_t row) const { return starts_[row]; }
  std::int64_t row_end(std::size_t row) const { return starts_[row + 1]; }
  int column(std::int64_t position) const { return columns_[static_cast<std::size_t>(position)]; }
  /// Position of block (row, column), −1 if absent.
  std::int64_t find(std::size_t row, int column) const;
  /// The connected component of every row: independent bodies or fibres, numbered from 0.
  std::vector<int> components() const;
  /// An order of the rows in which a factor fills in little, as `search` says the first time that one is
  /// asked for: finding it may take longer than a factorisation.
  std::span<const int> elimination_order(std::vector<int> (*search)(const BlockPattern&)) const;
  std::span<const std::int64_t> starts() const { return starts_; }
  std::span<const int> columns() const { return columns_; }

 private:
  static std::shared_ptr<BlockPattern> assembled(std::size_t rows, int block_size,
                                                 std::span<const std::pair<int, int>> pairs);

  int block_size_ = 3;
  std::vector<std::int64_t> starts_ = {0};
  std::vector<int> columns_;
  std::shared_ptr<const BlockPattern> grown_from_;
  mutable std::once_flag ordered_;
  mutable std::vector<int> order_;
};

/// Values on a pattern. Symmetric in value where the physics is; both triangles are stored, so that rows can
/// be multiplied independently.
class BlockMatrix {
 public:
  BlockMatrix() = default;
  explicit BlockMatrix(std::shared_ptr<const BlockPattern> pattern);

  bool empty() const { return pattern_ == nullptr; }
  const BlockPattern& pattern() const { return *pattern_; }
  const std::shared_ptr<const BlockPattern>& shared_pattern() const { return pattern_; }
  std::size_t unknowns() const { return pattern_ ? pattern_->unknowns() : 0; }
  /// Block at a position of the pattern: block_size² entries, row by row.
  double* block(std::int64_t position) { return values_.data() + position * stride_; }
  const double* block(std::int64_t position) const { return values_.data() + position * stride_; }
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

  void set_zero();
  /// this ← this + a·other, whose blocks must all be in this pattern (same pattern: one pass).
  void add(double a, const BlockMatrix& other);
  /// Diagonal entries of the unknowns.
  std::vector<double> diagonal() const;
  void add_diagonal(double a, std::span<const double> diagonal);
  /// y ← A x
  void apply(ConstVectorView x, VectorView y) const;
  /// max over rows i of Σ_j √(d_i d_j)|a_ij|: with d = 1/mass a bound of the eigenvalues of M⁻¹A
  /// (Gershgorin).
  double row_sum_bound(std::span<const double> inverse_mass) const;
  Eigen::MatrixXd to_dense() const;

 private:
  std::shared_ptr<const BlockPattern> pattern_;
  std::int64_t stride_ = 0;
  std::vector<double> values_;
};

}  // namespace stiffly
