#include "stiffly/linalg/preconditioner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <Eigen/Cholesky>
#include <vector>

#include "stiffly/effort.hpp"
#include "stiffly/error.hpp"
#include "stiffly/linalg/on_host.hpp"
#include "stiffly/linalg/parallel.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

template <int B>
using Block = Eigen::Matrix<double, B, B, Eigen::RowMajor>;
template <int B>
using Entry = Eigen::Matrix<double, B, 1>;

template <int B>
Eigen::Map<const Block<B>> block_at(const BlockMatrix& A, std::int64_t k) {
  return Eigen::Map<const Block<B>>(A.block(k));
}

class None final : public Preconditioner {
 public:
  void prepare(const BlockMatrix&) override {}
  void do_apply(std::span<const double> r, std::span<double> z) const override {
    std::copy(r.begin(), r.end(), z.begin());
  }
};

/// z = D⁻¹ r
class Diagonal final : public Preconditioner {
 public:
  void prepare(const BlockMatrix& A) override {
    inverse_ = A.diagonal();
    for (std::size_t i = 0; i < inverse_.size(); ++i) {
      if (!(inverse_[i] > 0))
        throw NotPositiveDefinite("a diagonal entry is not positive", static_cast<long>(i));
      inverse_[i] = 1 / inverse_[i];
    }
  }
  void do_apply(std::span<const double> r, std::span<double> z) const override {
    for_chunks<4096>(inverse_.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) z[i] = inverse_[i] * r[i];
    });
  }

 private:
  std::vector<double> inverse_;
};

template <int B>
Block<B> inverse_of(const Block<B>& block, std::size_t row) {
  const Eigen::LLT<Block<B>> factor(block);
  if (factor.info() != Eigen::Success)
    throw NotPositiveDefinite("a diagonal block is not positive definite", static_cast<long>(row) * B);
  return factor.solve(Block<B>::Identity());
}

template <int B>
std::vector<Block<B>> inverse_diagonal_blocks(const BlockMatrix& A) {
  std::vector<Block<B>> inverse(A.pattern().rows());
  for (std::size_t row = 0; row < inverse.size(); ++row)
    inverse[row] = inverse_of<B>(block_at<B>(A, A.pattern().find(row, static_cast<int>(row))), row);
  return inverse;
}

/// z_i = A_ii⁻¹ r_i
template <int B>
class BlockDiagonal final : public Preconditioner {
 public:
  void prepare(const BlockMatrix& A) override { inverse_ = inverse_diagonal_blocks<B>(A); }
  void do_apply(std::span<const double> r, std::span<double> z) const override {
    const double* in = r.data();
    double* out = z.data();
    for_chunks<1024>(inverse_.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t row = first; row < last; ++row)
        Eigen::Map<Entry<B>>(out + row * B) = inverse_[row] * Eigen::Map<const Entry<B>>(in + row * B);
    });
  }

 private:
  std::vector<Block<B>> inverse_;
};

/// (D + L) D⁻¹ (D + Lᵀ), the symmetric Gauss–Seidel sweep (SSOR with ω = 1).
template <int B>
class Ssor final : public Preconditioner {
 public:
  void prepare(const BlockMatrix& A) override {
    matrix_ = &A;
    inverse_ = inverse_diagonal_blocks<B>(A);
  }
  void do_apply(std::span<const double> r, std::span<double> z) const override {
    const BlockPattern& pattern = matrix_->pattern();
    const double* in = r.data();
    double* out = z.data();
    const auto at = [&](int row) { return Eigen::Map<Entry<B>>(out + static_cast<std::ptrdiff_t>(row) * B); };
    const auto rows = static_cast<int>(pattern.rows());
    for (int row = 0; row < rows; ++row) {
      const auto i = static_cast<std::size_t>(row);
      Entry<B> sum = Eigen::Map<const Entry<B>>(in + i * B);
      for (std::int64_t k = pattern.row_begin(i); pattern.column(k) < row; ++k)
        sum -= block_at<B>(*matrix_, k) * at(pattern.column(k));
      at(row) = inverse_[i] * sum;
    }
    for (int row = rows - 1; row >= 0; --row) {
      const auto i = static_cast<std::size_t>(row);
      Entry<B> sum = Entry<B>::Zero();
      for (std::int64_t k = pattern.row_end(i) - 1; pattern.column(k) > row; --k)
        sum += block_at<B>(*matrix_, k) * at(pattern.column(k));
      at(row) -= inverse_[i] * sum;
    }
  }

 private:
  const BlockMatrix* matrix_ = nullptr;
  std::vector<Block<B>> inverse_;
};

/// Incomplete Cholesky without fill-in, by blocks: A ≈ L Lᵀ on the pattern of A. Where a pivot is not
/// positive, the diagonal is raised and the factorisation made again [Manteuffel 1980].
template <int B>
class IncompleteCholesky final : public Preconditioner {
 public:
  void prepare(const BlockMatrix& A) override {
    pattern_ = A.shared_pattern();
    for (double raise = 0; !factorize(A, raise); raise = raise == 0 ? 1e-3 : 2 * raise)
      if (raise > 10)
        throw NotPositiveDefinite("no incomplete factor: the matrix is far from positive definite", -1);
  }
  void do_apply(std::span<const double> r, std::span<double> z) const override {
    const double* in = r.data();
    double* out = z.data();
    const auto at = [&](int row) { return Eigen::Map<Entry<B>>(out + static_cast<std::ptrdiff_t>(row) * B); };
    const auto rows = static_cast<int>(pattern_->rows());
    for (int row = 0; row < rows; ++row) {
      const auto i = static_cast<std::size_t>(row);
      Entry<B> sum = Eigen::Map<const Entry<B>>(in + i * B);
      for (std::int64_t k = starts_[i]; k < starts_[i + 1]; ++k)
        sum -= values_[static_cast<std::size_t>(k)] * at(columns_[static_cast<std::size_t>(k)]);
      at(row) = inverse_[i] * sum;
    }
    for (int row = rows - 1; row >= 0; --row) {
      const auto i = static_cast<std::size_t>(row);
      const Entry<B> here = inverse_[i].transpose() * at(row);
      at(row) = here;
      for (std::int64_t k = starts_[i]; k < starts_[i + 1]; ++k)
        at(columns_[static_cast<std::size_t>(k)]) -= values_[static_cast<std::size_t>(k)].transpose() * here;
    }
  }

 private:
  /// Rows of L below the diagonal, and inverses of its diagonal blocks. False at a pivot that is not
  /// positive.
  bool factorize(const BlockMatrix& A, double raise) {
    const std::size_t rows = pattern_->rows();
    starts_.assign(1, 0);
    columns_.clear();
    values_.clear();
    inverse_.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::int64_t begin = starts_.back();
      for (std::int64_t k = pattern_->row_begin(i); pattern_->column(k) < static_cast<int>(i); ++k) {
        const int j = pattern_->column(k);
        Block<B> sum = block_at<B>(A, k);  // A_ij − Σ L_ik L_jkᵀ over the columns both rows have
        std::int64_t a = begin, b = starts_[static_cast<std::size_t>(j)];
        const std::int64_t a_end = std::ssize(columns_), b_end = starts_[static_cast<std::size_t>(j) + 1];
        while (a < a_end && b < b_end) {
          const int ca = columns_[static_cast<std::size_t>(a)], cb = columns_[static_cast<std::size_t>(b)];
          if (ca == cb)
            sum -= values_[static_cast<std::size_t>(a)] * values_[static_cast<std::size_t>(b)].transpose();
          a += ca <= cb ? 1 : 0;
          b += cb <= ca ? 1 : 0;
        }
        columns_.push_back(j);
        values_.push_back(sum * inverse_[static_cast<std::size_t>(j)].transpose());
      }
      Block<B> pivot = (1 + raise) * block_at<B>(A, pattern_->find(i, static_cast<int>(i)));
      for (std::size_t k = static_cast<std::size_t>(begin); k < values_.size(); ++k)
        pivot -= values_[k] * values_[k].transpose();
      const Eigen::LLT<Block<B>> factor(pivot);
      if (factor.info() != Eigen::Success) return false;
      inverse_[i] = factor.matrixL().solve(Block<B>::Identity());
      starts_.push_back(std::ssize(columns_));
    }
    return true;
  }

  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<std::int64_t> starts_;
  std::vector<int> columns_;
  std::vector<Block<B>> values_;
  std::vector<Block<B>> inverse_;
};

/// Chooses the variant for the matrix's block size when it first sees one.
template <template <int> class Kind>
class ByBlockSize final : public Preconditioner {
 public:
  void prepare(const BlockMatrix& A) override {
    for_three_ = A.pattern().block_size() == 3;
    for_three_ ? by_three_.prepare(A) : one_by_one_.prepare(A);
  }
  void do_apply(std::span<const double> r, std::span<double> z) const override {
    for_three_ ? by_three_.do_apply(r, z) : one_by_one_.do_apply(r, z);
  }

 private:
  bool for_three_ = true;
  Kind<3> by_three_;
  Kind<1> one_by_one_;
};

template <class Kind>
std::unique_ptr<Preconditioner> make() {
  return std::make_unique<Kind>();
}

}  // namespace

void Preconditioner::apply(ConstVectorView r, VectorView z) const {
  add_effort(effort::vectors(r.size(), 20));
  compute_on_host(r, z, [this](std::span<const double> in, std::span<double> out) { do_apply(in, out); });
}

std::span<const PreconditionerInfo> preconditioners() {
  static const PreconditionerInfo all[] = {
      {"none", "no preconditioner", make<None>},
      {"diagonal", "the diagonal entries", make<Diagonal>},
      {"block", "the diagonal blocks, one per particle", make<ByBlockSize<BlockDiagonal>>},
      {"ssor", "a forward and a backward Gauss–Seidel sweep over blocks", make<ByBlockSize<Ssor>>},
      {"ic", "incomplete Cholesky without fill-in, by blocks", make<ByBlockSize<IncompleteCholesky>>}};
  return all;
}

std::unique_ptr<Preconditioner> make_preconditioner(std::string_view name) {
  return find_by_name(preconditioners(), name, "preconditioner").make();
}

}  // namespace stiffly
