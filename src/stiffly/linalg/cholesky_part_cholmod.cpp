#ifdef STIFFLY_WITH_CHOLMOD
#include <cholmod.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <numeric>

#include "stiffly/error.hpp"
#include "stiffly/linalg/cholesky_part.hpp"

namespace stiffly {
namespace {

using Long = SuiteSparse_long;

/// While it lives, parallel regions have one thread. CHOLMOD's loops over a supernode ask for four, whatever
/// there are: threads would be made, waited for and ended thousands of times in a solve.
class OneThreadEach {
 public:
  OneThreadEach() {
    if (outermost_) omp_set_max_active_levels(0);
  }
  ~OneThreadEach() {
    if (outermost_) omp_set_max_active_levels(levels_);
  }
  OneThreadEach(const OneThreadEach&) = delete;
  OneThreadEach& operator=(const OneThreadEach&) = delete;

 private:
  bool outermost_ = !omp_in_parallel();  // of the program around us: regions within others have one thread
  int levels_ = omp_get_max_active_levels();
};

/// Position of each row of the whole matrix in the part, −1 outside.
std::vector<int> local_index(const BlockPattern& pattern, const std::vector<int>& rows) {
  std::vector<int> index(pattern.rows(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    index[static_cast<std::size_t>(rows[i])] = static_cast<int>(i);
  return index;
}

/// Lower triangle by columns. The blocks of a row right of the diagonal are, transposed, those of the column
/// below it, so walking the rows fills the columns in order.
template <class Visit>
void visit_lower(const BlockPattern& pattern, const std::vector<int>& rows, const std::vector<int>& index,
                 int b, const Visit& visit) {
  for (const int row : rows)
    for (int jj = 0; jj < b; ++jj)
      for (std::int64_t k = pattern.row_begin(static_cast<std::size_t>(row));
           k < pattern.row_end(static_cast<std::size_t>(row)); ++k) {
        const int column = pattern.column(k);
        if (column < row) continue;
        for (int ii = column == row ? jj : 0; ii < b; ++ii)
          visit(index[static_cast<std::size_t>(row)] * b + jj,
                index[static_cast<std::size_t>(column)] * b + ii, k, jj * b + ii);
      }
}

/// CHOLMOD's settings, statistics and work space.
struct Session {
  cholmod_common common;

  Session() {
    cholmod_l_start(&common);
    common.print = 0;
    common.error_handler = nullptr;
  }
  ~Session() { cholmod_l_finish(&common); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void check(const char* what) const {
    if (common.status == CHOLMOD_OUT_OF_MEMORY || common.status == CHOLMOD_TOO_LARGE) throw std::bad_alloc();
    if (common.status < CHOLMOD_OK)
      throw Error(fmt::format("CHOLMOD could not {} (status {})", what, common.status));
  }
};

/// Its places, with values of that kind to be filled in.
cholmod_sparse* lower_triangle(const BlockPattern& pattern, const std::vector<int>& rows,
                               const std::vector<int>& index, int b, int kind, Session& session) {
  const std::size_t n = rows.size() * static_cast<std::size_t>(b);
  std::size_t entries = 0;
  visit_lower(pattern, rows, index, b, [&](int, int, std::int64_t, int) { ++entries; });
  cholmod_sparse* out = cholmod_l_allocate_sparse(n, n, entries, 1, 1, -1, kind, &session.common);
  session.check("allocate");
  auto* p = static_cast<Long*>(out->p);
  auto* i = static_cast<Long*>(out->i);
  std::fill(p, p + n + 1, 0);
  Long next = 0;
  visit_lower(pattern, rows, index, b, [&](int column, int row, std::int64_t, int) {
    i[next++] = row;
    p[column + 1] = next;
  });
  return out;
}

/// Order of elimination found on the graph of particles: nine times less to look at than their unknowns.
std::vector<int> nested_dissection(const BlockPattern& pattern) {
  std::vector<int> rows(pattern.rows());
  std::iota(rows.begin(), rows.end(), 0);
  if (rows.size() < 2) return rows;
  Session session;
  cholmod_sparse* graph = lower_triangle(pattern, rows, rows, 1, CHOLMOD_PATTERN, session);
  std::vector<Long> order(rows.size());
  static std::mutex dice;  // METIS seeds and draws from the process's rand(): one at a time, or orders vary
  const bool found = [&] {
    const std::scoped_lock alone(dice);
    return cholmod_l_metis(graph, nullptr, 0, 1, order.data(), &session.common) != 0;
  }();
  cholmod_l_free_sparse(&graph, &session.common);
  if (found) std::ranges::transform(order, rows.begin(), [](Long i) { return static_cast<int>(i); });
  return rows;
}

}  // namespace

struct CholeskyPart::Factor : Session {
  cholmod_sparse* matrix = nullptr;
  cholmod_factor* factor = nullptr;
  double operations = 0;
  mutable cholmod_dense *solution = nullptr, *work1 = nullptr, *work2 = nullptr;

  ~Factor() {
    cholmod_l_free_dense(&solution, &common);
    cholmod_l_free_dense(&work1, &common);
    cholmod_l_free_dense(&work2, &common);
    cholmod_l_free_factor(&factor, &common);
    cholmod_l_free_sparse(&matrix, &common);
  }
};

CholeskyPart::CholeskyPart(const BlockPattern& pattern, std::vector<int> rows)
    : rows_(std::move(rows)), block_size_(pattern.block_size()), factor_(std::make_unique<Factor>()) {
  cholmod_common* common = &factor_->common;
  const std::vector<int> index = local_index(pattern, rows_);
  std::vector<Long> order;
  order.reserve(rows_.size() * static_cast<std::size_t>(block_size_));
  for (const int row : pattern.elimination_order(nested_dissection))
    if (const int local = index[static_cast<std::size_t>(row)]; local >= 0)
      for (int d = 0; d < block_size_; ++d) order.push_back(Long{local} * block_size_ + d);

  factor_->matrix = lower_triangle(pattern, rows_, index, block_size_, CHOLMOD_REAL, *factor_);
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_GIVEN;
  common->postorder = 1;
  common->supernodal = CHOLMOD_AUTO;
  common->final_ll = 1;
  factor_->factor = cholmod_l_analyze_p(factor_->matrix, order.data(), nullptr, 0, common);
  factor_->check("analyse the matrix");
  factor_->operations = common->fl;
}

CholeskyPart::~CholeskyPart() = default;

long CholeskyPart::factorize(const BlockMatrix& matrix) {
  auto* values = static_cast<double*>(factor_->matrix->x);
  std::size_t next = 0;
  const std::vector<int> index = local_index(matrix.pattern(), rows_);
  visit_lower(matrix.pattern(), rows_, index, block_size_,
              [&](int, int, std::int64_t k, int entry) { values[next++] = matrix.block(k)[entry]; });
  factor_->common.status = CHOLMOD_OK;
  const OneThreadEach loops;
  cholmod_l_factorize(factor_->matrix, factor_->factor, &factor_->common);
  const cholmod_factor& f = *factor_->factor;
  if (factor_->common.status == CHOLMOD_NOT_POSDEF || f.minor < f.n) {
    const Long local = static_cast<const Long*>(f.Perm)[std::min(f.minor, f.n - 1)];
    return static_cast<long>(rows_[static_cast<std::size_t>(local / block_size_)]) * block_size_ +
           local % block_size_;
  }
  factor_->check("factorise");
  return -1;
}

void CholeskyPart::solve(const double* b, double* x) const {
  const auto size = static_cast<std::size_t>(block_size_);
  const std::size_t n = rows_.size() * size;
  std::vector<double> gathered(n);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t d = 0; d < size; ++d)
      gathered[i * size + d] = b[static_cast<std::size_t>(rows_[i]) * size + d];
  cholmod_dense rhs{};
  rhs.nrow = rhs.d = rhs.nzmax = n;
  rhs.ncol = 1;
  rhs.x = gathered.data();
  rhs.xtype = CHOLMOD_REAL;
  rhs.dtype = CHOLMOD_DOUBLE;
  Factor& f = *factor_;
  const OneThreadEach loops;
  cholmod_l_solve2(CHOLMOD_A, f.factor, &rhs, nullptr, &f.solution, nullptr, &f.work1, &f.work2, &f.common);
  f.check("solve");
  const auto* solution = static_cast<const double*>(f.solution->x);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t d = 0; d < size; ++d)
      x[static_cast<std::size_t>(rows_[i]) * size + d] = solution[i * size + d];
}

double CholeskyPart::operations() const { return factor_->operations; }

double CholeskyPart::factor_entries() const {
  const cholmod_factor& f = *factor_->factor;
  return static_cast<double>(f.is_super ? f.xsize : f.nzmax);
}

}  // namespace stiffly
#endif
