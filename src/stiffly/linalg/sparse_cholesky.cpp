#include "stiffly/linalg/sparse_cholesky.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

#include "stiffly/effort.hpp"
#include "stiffly/error.hpp"
#include "stiffly/linalg/blas_kernels.hpp"
#include "stiffly/linalg/blas_threads.hpp"
#include "stiffly/linalg/cholesky_part.hpp"
#include "stiffly/linalg/on_host.hpp"
#include "stiffly/threads.hpp"

namespace stiffly {
namespace {

/// Independent components are gathered into at most this many parts: enough for threads to share, few enough
/// that each is worth its set-up. Fixed, so that results do not depend on the number of threads.
constexpr int max_parts = 16;
constexpr std::size_t divide_from = 1000;  // rows
/// Operations of a factorisation, above which its products are large enough for threads: about 0.1 s of one.
constexpr double worth_blas_threads = 2e9;

/// Rows of each part: whole components, of about equal size together.
std::vector<std::vector<int>> divide(const BlockPattern& pattern) {
  const std::size_t rows = pattern.rows();
  const std::vector<int> component = pattern.components();
  const int count = rows ? *std::max_element(component.begin(), component.end()) + 1 : 0;
  if (count < 2 || rows < divide_from) {
    std::vector<int> all(rows);
    std::iota(all.begin(), all.end(), 0);
    return {all};
  }
  std::vector<std::size_t> size(static_cast<std::size_t>(count), 0);
  for (const int c : component) ++size[static_cast<std::size_t>(c)];
  const auto parts = static_cast<std::size_t>(std::min(count, max_parts));
  std::vector<std::size_t> part_of(size.size());
  std::size_t before = 0;
  for (std::size_t c = 0; c < size.size(); ++c) {
    part_of[c] = std::min(parts - 1, before * parts / rows);
    before += size[c];
  }
  std::vector<std::vector<int>> members(parts);
  for (std::size_t row = 0; row < rows; ++row)
    members[part_of[static_cast<std::size_t>(component[row])]].push_back(static_cast<int>(row));
  std::erase_if(members, [](const auto& m) { return m.empty(); });
  return members;
}

}  // namespace

struct SparseCholesky::Part : CholeskyPart {
  using CholeskyPart::CholeskyPart;
};

SparseCholesky::SparseCholesky() = default;
SparseCholesky::~SparseCholesky() = default;
SparseCholesky::SparseCholesky(SparseCholesky&&) noexcept = default;
SparseCholesky& SparseCholesky::operator=(SparseCholesky&&) noexcept = default;

bool SparseCholesky::factorized() const { return factorized_; }
std::size_t SparseCholesky::parts() const { return parts_.size(); }

double SparseCholesky::factor_entries() const {
  double total = 0;
  for (const auto& part : parts_) total += part->factor_entries();
  return total;
}

void SparseCholesky::analyze(const BlockMatrix& matrix) {
  choose_blas_kernels();
  parts_.clear();
  for (auto& rows : divide(matrix.pattern()))
    parts_.push_back(std::make_unique<Part>(matrix.pattern(), std::move(rows)));
  pattern_ = matrix.shared_pattern();
  add_effort(effort::factor_call + effort::analysis * factor_entries());
  ++analyses_;
}

void SparseCholesky::factorize(const BlockMatrix& matrix) {
  factorized_ = false;
  if (matrix.shared_pattern() != pattern_) analyze(matrix);
  double operations = 0;
  for (const auto& part : parts_) operations += part->operations();
  add_effort(effort::factorization(static_cast<double>(matrix.unknowns()), factor_entries(), operations));
  std::vector<long> failed(parts_.size(), -1);
  const bool large = parts_.size() == 1 && parts_.front()->operations() > worth_blas_threads;
  const BlasThreads blas(large ? thread_count() : 1);
  parallel_for(parts_.size(), [&](std::size_t k) { failed[k] = parts_[k]->factorize(matrix); });
  for (const long row : failed)
    if (row >= 0)
      throw NotPositiveDefinite(
          fmt::format("the matrix is not positive definite (first seen at row {})", row), row);
  factorized_ = true;
}

void SparseCholesky::solve(ConstVectorView b, VectorView x) const {
  assert(factorized_);
  add_effort(effort::solve_call + effort::solve_row * static_cast<double>(b.size()) +
             effort::solve_entry * factor_entries());
  const BlasThreads blas(1);
  compute_on_host(b, x, [this](std::span<const double> in, std::span<double> out) {
    parallel_for(parts_.size(), [&](std::size_t k) { parts_[k]->solve(in.data(), out.data()); });
  });
}

}  // namespace stiffly
