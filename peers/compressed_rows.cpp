#include "peers/compressed_rows.hpp"

#include <algorithm>

namespace stiffly::study {
namespace {

/// Columns of the scalar row `b·row + i` of a pattern, for any i < b.
void append_columns(const BlockPattern& pattern, std::size_t row, std::int64_t offset,
                    std::vector<std::int64_t>& columns) {
  const int b = pattern.block_size();
  for (std::int64_t k = pattern.row_begin(row); k < pattern.row_end(row); ++k)
    for (int j = 0; j < b; ++j) columns.push_back(offset + std::int64_t{pattern.column(k)} * b + j);
}

/// Values of the scalar row b·row + i; returns where the next ones go.
double* write_row(const BlockMatrix& matrix, std::size_t row, int i, double* out) {
  const BlockPattern& pattern = matrix.pattern();
  const int b = pattern.block_size();
  for (std::int64_t k = pattern.row_begin(row); k < pattern.row_end(row); ++k)
    out = std::copy_n(matrix.block(k) + i * b, b, out);
  return out;
}

void close_row(CompressedRows& rows) {
  rows.starts.push_back(static_cast<std::int64_t>(rows.columns.size()));
}

/// C, or zeros on the pattern of K where there is no damping.
BlockMatrix damping_of(const Tangent& tangent) {
  return tangent.damping.empty() ? BlockMatrix(tangent.stiffness.shared_pattern()) : tangent.damping;
}

BlockMatrix stiffness_of(const Tangent& tangent) {
  BlockMatrix K = tangent.stiffness;
  if (!tangent.circulatory.empty()) K.add(1.0, tangent.circulatory);
  return K;
}

/// A ← −M⁻¹A for a diagonal M
void divide_rows(BlockMatrix& A, std::span<const double> masses) {
  const BlockPattern& pattern = A.pattern();
  const int b = pattern.block_size();
  for (std::size_t row = 0; row < pattern.rows(); ++row)
    for (std::int64_t k = pattern.row_begin(row); k < pattern.row_end(row); ++k)
      for (int i = 0; i < b; ++i)
        for (int j = 0; j < b; ++j)
          A.block(k)[i * b + j] /= -masses[row * static_cast<std::size_t>(b) + static_cast<std::size_t>(i)];
}

}  // namespace

CompressedRows expanded(const BlockPattern& pattern) {
  CompressedRows out;
  for (std::size_t row = 0; row < pattern.rows(); ++row)
    for (int i = 0; i < pattern.block_size(); ++i) {
      append_columns(pattern, row, 0, out.columns);
      close_row(out);
    }
  out.values.assign(out.columns.size(), 0.0);
  return out;
}

void expand(const BlockMatrix& matrix, CompressedRows& out) {
  double* next = out.values.data();
  for (std::size_t row = 0; row < matrix.pattern().rows(); ++row)
    for (int i = 0; i < matrix.pattern().block_size(); ++i) next = write_row(matrix, row, i, next);
}

BlockMatrix combined(const Tangent& tangent, double c, const MassMatrix& mass, double m) {
  BlockMatrix S = stiffness_of(tangent);
  if (!tangent.damping.empty()) S.add(c, tangent.damping);
  mass.add_to(m, S);
  return S;
}

FirstOrderMatrix::FirstOrderMatrix(const Tangent& tangent, const MassMatrix& mass)
    : n_(mass.size()), coupled_(!tangent.damping.empty() || !mass.is_diagonal()) {
  const auto n = static_cast<std::int64_t>(n_);
  for (std::int64_t i = 0; i < n; ++i) {
    rows_.columns.insert(rows_.columns.end(), {i, n + i});
    close_row(rows_);
  }
  const BlockPattern& pattern = tangent.stiffness.pattern();
  for (std::int64_t i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i / pattern.block_size());
    append_columns(pattern, row, 0, rows_.columns);
    if (coupled_)
      append_columns(pattern, row, n, rows_.columns);
    else
      rows_.columns.push_back(n + i);
    close_row(rows_);
  }
  rows_.values.assign(rows_.columns.size(), 0.0);
}

void FirstOrderMatrix::set_jacobian(const Tangent& tangent, const MassMatrix& mass) {
  if (!mass.is_diagonal())
    throw SimulationError("a sparse Jacobian of y' = F(y) needs a diagonal mass matrix: M⁻¹K would be full");
  Vector ones(n_), masses(n_);
  fill(1.0, ones);
  mass.apply(ones, masses);
  BlockMatrix K = stiffness_of(tangent), C = damping_of(tangent);
  divide_rows(K, host(masses));
  divide_rows(C, host(masses));
  set(0.0, 1.0, K, C);
}

void FirstOrderMatrix::set_residual(const Tangent& tangent, const MassMatrix& mass, double sigma) {
  BlockMatrix C = damping_of(tangent);
  mass.add_to(sigma, C);
  set(sigma, -1.0, stiffness_of(tangent), C);
}

void FirstOrderMatrix::set(double xx, double xv, const BlockMatrix& vx, const BlockMatrix& vv) {
  double* out = rows_.values.data();
  for (std::size_t i = 0; i < n_; ++i) {
    *out++ = xx;
    *out++ = xv;
  }
  const auto b = static_cast<std::size_t>(vx.pattern().block_size());
  const std::vector<double> diagonal = coupled_ ? std::vector<double>{} : vv.diagonal();
  for (std::size_t i = 0; i < n_; ++i) {
    out = write_row(vx, i / b, static_cast<int>(i % b), out);
    if (coupled_)
      out = write_row(vv, i / b, static_cast<int>(i % b), out);
    else
      *out++ = diagonal[i];
  }
}

}  // namespace stiffly::study
