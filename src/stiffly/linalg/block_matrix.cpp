#include "stiffly/linalg/block_matrix.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "stiffly/effort.hpp"
#include "stiffly/error.hpp"
#include "stiffly/linalg/on_host.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

constexpr std::size_t row_chunk = 512;
/// Values to ask the memory for in advance: a page, which the processor does not look beyond by itself.
constexpr std::ptrdiff_t ahead = 512;

/// y ← A x for single numbers.
void multiply_rows_1(const BlockPattern& pattern, const double* values, const double* x, double* y) {
  const std::int64_t* starts = pattern.starts().data();
  const int* columns = pattern.columns().data();
  for_chunks<row_chunk>(pattern.rows(), [=](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      double sum = 0;
      for (std::int64_t k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
      y[row] = sum;
    }
  });
}

/// Four numbers in one register, of the processor or of the compiler's making.
using Four = double __attribute__((vector_size(4 * sizeof(double))));

// By reference: how such values are returned depends on the processor compiled for.
inline void load(const double* from, Four& v) { std::memcpy(&v, from, sizeof v); }

/// y ← A x for 3×3 blocks. The nine numbers of a block are read as 4 + 4 + 1, and x_j as often as each of
/// them needs it:
///   a00 a01 a02 a10 | a11 a12 a20 a21 | a22   times   x0 x1 x2 x0 | x1 x2 x0 x1 | x2,
/// so that the sums of the three rows are put together only at the end of a row.
void multiply_rows_3(const BlockPattern& pattern, const double* values, const double* x, double* y) {
  const std::int64_t* starts = pattern.starts().data();
  const int* columns = pattern.columns().data();
  for_chunks<row_chunk>(pattern.rows(), [=](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      Four head = {}, middle = {};
      double tail = 0;
      for (std::int64_t k = starts[row]; k < starts[row + 1]; ++k) {
        const double* a = values + 9 * k;
        const double* z = x + 3 * static_cast<std::ptrdiff_t>(columns[k]);
        __builtin_prefetch(a + ahead);
        Four first_four, next_four;
        load(a, first_four);
        load(a + 4, next_four);
        head += first_four * Four{z[0], z[1], z[2], z[0]};
        middle += next_four * Four{z[1], z[2], z[0], z[1]};
        tail += a[8] * z[2];
      }
      y[3 * row] = head[0] + head[1] + head[2];
      y[3 * row + 1] = head[3] + middle[0] + middle[1];
      y[3 * row + 2] = middle[2] + middle[3] + tail;
    }
  });
}

}  // namespace

std::shared_ptr<const BlockPattern> BlockPattern::symmetric(std::size_t rows, int block_size,
                                                            std::vector<std::pair<int, int>> pairs) {
  return assembled(rows, block_size, pairs);
}

std::shared_ptr<BlockPattern> BlockPattern::assembled(std::size_t rows, int block_size,
                                                      std::span<const std::pair<int, int>> pairs) {
  assert(block_size == 1 || block_size == 3);
  // Count, place, then sort each row: linear in the number of pairs.
  std::vector<std::int64_t> count(rows + 1, 0);
  for (const auto& [i, j] : pairs) {
    assert(i >= 0 && j >= 0 && static_cast<std::size_t>(std::max(i, j)) < rows);
    ++count[static_cast<std::size_t>(i) + 1];
    ++count[static_cast<std::size_t>(j) + 1];
  }
  for (std::size_t r = 0; r < rows; ++r) count[r + 1] += count[r] + 1;  // one more for the diagonal
  std::vector<int> columns(static_cast<std::size_t>(count[rows]));
  std::vector<std::int64_t> next(count.begin(), count.end() - 1);
  for (std::size_t r = 0; r < rows; ++r) columns[static_cast<std::size_t>(next[r]++)] = static_cast<int>(r);
  for (const auto& [i, j] : pairs) {
    columns[static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++)] = j;
    columns[static_cast<std::size_t>(next[static_cast<std::size_t>(j)]++)] = i;
  }
  auto pattern = std::make_shared<BlockPattern>();
  pattern->block_size_ = block_size;
  pattern->starts_.assign(rows + 1, 0);
  pattern->columns_.reserve(columns.size());
  for (std::size_t r = 0; r < rows; ++r) {
    const auto first = columns.begin() + count[r];
    const auto last = columns.begin() + count[r + 1];
    std::sort(first, last);
    pattern->columns_.insert(pattern->columns_.end(), first, std::unique(first, last));
    pattern->starts_[r + 1] = static_cast<std::int64_t>(pattern->columns_.size());
  }
  return pattern;
}

std::int64_t BlockPattern::find(std::size_t row, int column) const {
  const auto first = columns_.begin() + starts_[row];
  const auto last = columns_.begin() + starts_[row + 1];
  const auto it = std::lower_bound(first, last, column);
  return it != last && *it == column ? it - columns_.begin() : -1;
}

std::shared_ptr<const BlockPattern> BlockPattern::grown(const std::shared_ptr<const BlockPattern>& from,
                                                        std::vector<std::pair<int, int>> pairs) {
  for (std::size_t row = 0; row < from->rows(); ++row)
    for (std::int64_t k = from->row_begin(row); k < from->row_end(row); ++k)
      if (const int column = from->column(k); static_cast<std::size_t>(column) > row)
        pairs.emplace_back(static_cast<int>(row), column);
  auto pattern = assembled(from->rows(), from->block_size(), pairs);
  pattern->grown_from_ = from;
  return pattern;
}

std::span<const int> BlockPattern::elimination_order(std::vector<int> (*search)(const BlockPattern&)) const {
  if (grown_from_) return grown_from_->elimination_order(search);
  std::call_once(ordered_, [&] { order_ = search(*this); });
  return order_;
}

std::vector<int> BlockPattern::components() const {
  std::vector<int> component(rows(), -1);
  std::vector<std::size_t> stack;
  int count = 0;
  for (std::size_t seed = 0; seed < rows(); ++seed) {
    if (component[seed] >= 0) continue;
    component[seed] = count;
    stack.push_back(seed);
    while (!stack.empty()) {
      const std::size_t row = stack.back();
      stack.pop_back();
      for (std::int64_t k = row_begin(row); k < row_end(row); ++k) {
        const auto neighbour = static_cast<std::size_t>(column(k));
        if (component[neighbour] >= 0) continue;
        component[neighbour] = count;
        stack.push_back(neighbour);
      }
    }
    ++count;
  }
  return component;
}

BlockMatrix::BlockMatrix(std::shared_ptr<const BlockPattern> pattern)
    : pattern_(std::move(pattern)),
      stride_(static_cast<std::int64_t>(pattern_->block_size()) * pattern_->block_size()),
      values_(pattern_->blocks() * static_cast<std::size_t>(stride_), 0.0) {}

void BlockMatrix::set_zero() { std::fill(values_.begin(), values_.end(), 0.0); }

void BlockMatrix::add(double a, const BlockMatrix& other) {
  if (other.pattern_ == pattern_) {
    for_chunks<4096>(values_.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) values_[i] += a * other.values_[i];
    });
    return;
  }
  for (std::size_t row = 0; row < other.pattern().rows(); ++row)
    for (std::int64_t k = other.pattern().row_begin(row); k < other.pattern().row_end(row); ++k) {
      const std::int64_t here = pattern_->find(row, other.pattern().column(k));
      if (here < 0) throw InputError("a matrix has a block outside the pattern it is added to");
      for (std::int64_t e = 0; e < stride_; ++e) block(here)[e] += a * other.block(k)[e];
    }
}

std::vector<double> BlockMatrix::diagonal() const {
  const auto b = static_cast<std::size_t>(pattern_->block_size());
  std::vector<double> out(unknowns());
  for (std::size_t row = 0; row < pattern_->rows(); ++row) {
    const double* d = block(pattern_->find(row, static_cast<int>(row)));
    for (std::size_t i = 0; i < b; ++i) out[row * b + i] = d[i * b + i];
  }
  return out;
}

void BlockMatrix::add_diagonal(double a, std::span<const double> diagonal) {
  const int b = pattern_->block_size();
  for (std::size_t row = 0; row < pattern_->rows(); ++row) {
    double* d = block(pattern_->find(row, static_cast<int>(row)));
    for (int i = 0; i < b; ++i)
      d[i * b + i] += a * diagonal[row * static_cast<std::size_t>(b) + static_cast<std::size_t>(i)];
  }
}

void BlockMatrix::apply(ConstVectorView x, VectorView y) const {
  assert(x.size() == unknowns() && y.size() == unknowns());
  add_effort(effort::call + effort::product * static_cast<double>(values_.size()));
  compute_on_host(x, y, [this](std::span<const double> in, std::span<double> out) {
    const auto multiply = pattern_->block_size() == 3 ? multiply_rows_3 : multiply_rows_1;
    multiply(*pattern_, values_.data(), in.data(), out.data());
  });
}

double BlockMatrix::row_sum_bound(std::span<const double> inverse_mass) const {
  const auto b = static_cast<std::size_t>(pattern_->block_size());
  double largest = 0;
  for (std::size_t row = 0; row < pattern_->rows(); ++row)
    for (std::size_t i = 0; i < b; ++i) {
      double sum = 0;
      for (std::int64_t k = pattern_->row_begin(row); k < pattern_->row_end(row); ++k)
        for (std::size_t j = 0; j < b; ++j)
          sum += std::abs(block(k)[i * b + j]) *
                 std::sqrt(inverse_mass[row * b + i] *
                           inverse_mass[static_cast<std::size_t>(pattern_->column(k)) * b + j]);
      largest = std::max(largest, sum);
    }
  return largest;
}

Eigen::MatrixXd BlockMatrix::to_dense() const {
  const int b = pattern_->block_size();
  const auto n = static_cast<Eigen::Index>(unknowns());
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (std::size_t row = 0; row < pattern_->rows(); ++row)
    for (std::int64_t k = pattern_->row_begin(row); k < pattern_->row_end(row); ++k)
      dense.block(static_cast<Eigen::Index>(row) * b, static_cast<Eigen::Index>(pattern_->column(k)) * b, b,
                  b) = Eigen::Map<const RowMajor>(block(k), b, b);
  return dense;
}

}  // namespace stiffly
