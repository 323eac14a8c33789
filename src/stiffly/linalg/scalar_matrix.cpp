#include "stiffly/linalg/scalar_matrix.hpp"

#include <cassert>

#include "stiffly/effort.hpp"
#include "stiffly/linalg/on_host.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

template <int B>
void multiply_rows(const BlockPattern& pattern, const double* values, const double* x, double* y) {
  for_chunks<512>(pattern.rows(), [&, values, x, y](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      double sum[B] = {};
      for (std::int64_t k = pattern.row_begin(row); k < pattern.row_end(row); ++k)
        for (int i = 0; i < B; ++i)
          sum[i] += values[k] * x[static_cast<std::ptrdiff_t>(pattern.column(k)) * B + i];
      for (std::size_t i = 0; i < B; ++i) y[row * B + i] = sum[i];
    }
  });
}

}  // namespace

ScalarMatrix::ScalarMatrix(std::shared_ptr<const BlockPattern> pattern)
    : pattern_(std::move(pattern)), values_(pattern_->blocks(), 0.0) {}

void ScalarMatrix::add(double a, const BlockMatrix& matrix) {
  assert(matrix.shared_pattern() == pattern_);
  const int b = pattern_->block_size();
  for (std::size_t k = 0; k < values_.size(); ++k)
    for (int i = 0; i < b; ++i) values_[k] += a * matrix.block(static_cast<std::int64_t>(k))[i * b + i];
}

void ScalarMatrix::apply(ConstVectorView x, VectorView y) const {
  add_effort(effort::call + 3 * effort::product * static_cast<double>(values_.size()));
  compute_on_host(x, y, [this](std::span<const double> in, std::span<double> out) {
    const auto multiply = pattern_->block_size() == 3 ? multiply_rows<3> : multiply_rows<1>;
    multiply(*pattern_, values_.data(), in.data(), out.data());
  });
}

void ScalarMatrix::precondition(ConstVectorView r, VectorView z) const {
  compute_on_host(r, z, [this](std::span<const double> in, std::span<double> out) {
    const auto b = static_cast<std::size_t>(pattern_->block_size());
    for_chunks<2048>(pattern_->rows(), [&](std::size_t first, std::size_t last) {
      for (std::size_t row = first; row < last; ++row) {
        const double d = values_[static_cast<std::size_t>(pattern_->find(row, static_cast<int>(row)))];
        for (std::size_t i = 0; i < b; ++i) out[row * b + i] = in[row * b + i] / d;
      }
    });
  });
}

}  // namespace stiffly
