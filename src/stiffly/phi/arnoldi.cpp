#include "stiffly/phi/arnoldi.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <Eigen/Core>
#include <utility>

#include "stiffly/limits.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly {

void Arnoldi::begin(const LinearOperator& a, const ArnoldiBorder& border, int length, ConstVectorView start,
                    std::span<const double> start_tail, int keep) {
  assert(length >= 1 && start_tail.size() == border.size());
  const bool same_space = !basis_.empty() && basis_[0].size() == start.size() &&
                          &basis_[0].backend() == &start.backend() && length == length_ &&
                          metric_.empty() == a.euclidean() && tails_.rows() == std::ssize(start_tail);
  a_ = &a;
  euclidean_ = a.euclidean();
  border_ = border;
  if (!same_space) {
    basis_.clear();
    metric_.clear();
    kept_.clear();
    product_ = Vector(start.size(), start.backend());
    tails_.resize(std::ssize(start_tail), 0);
    product_tail_.resize(std::ssize(start_tail));
  }
  length_ = length;
  keep_ = keep;
  m_ = 0;
  breakdown_ = false;
  h_norm_ = largest_ = 0;
  products_ = 0;
  basis_.resize(std::max<std::size_t>(basis_.size(), 1));
  reserve(1);
  copy(start, basis_[0]);
  for (std::size_t k = 0; k < start_tail.size(); ++k) tails_(static_cast<Eigen::Index>(k), 0) = start_tail[k];
  adopt(0);
}

/// Room for m vectors and v_{m+1}.
void Arnoldi::reserve(int m) {
  const auto vectors = static_cast<std::size_t>(m) + 1;
  const std::size_t n = product_.size();
  if (basis_.size() < vectors) basis_.resize(vectors);
  for (std::size_t j = vectors; j-- > 0 && basis_[j].empty();) basis_[j] = Vector(n, product_.backend());
  if (!euclidean_) {
    const std::size_t kept = std::min<std::size_t>(vectors, static_cast<std::size_t>(length_));
    while (metric_.size() < kept) metric_.emplace_back(n, product_.backend());
    metric_factor_.resize(metric_.size());
  }
  if (h_.cols() < m) {
    const Eigen::Index old_rows = h_.rows(), old_cols = h_.cols();
    Eigen::MatrixXd larger = Eigen::MatrixXd::Zero(m + 1, m);
    larger.topLeftCorner(old_rows, old_cols) = h_;
    h_ = std::move(larger);
  }
  if (tails_.cols() < m + 1) tails_.conservativeResize(Eigen::NoChange, m + 1);
}

/// Takes w in the place of v_{j+1}, and makes it v_{j+1} = w/‖w‖. Where norms need Gw, the product with A is
/// made now, on the vector not yet normalised: norm and next Krylov vector for one product.
void Arnoldi::adopt(int j) {
  Vector& w = basis_[static_cast<std::size_t>(j)];
  if (!euclidean_) multiply(j);
  const double head = euclidean_ ? stiffly::norm(w) : norm_from_metric(w, metric_of(j));
  const double norm = std::hypot(head, tails_.col(j).norm());
  const double factor = norm > 0 ? 1 / norm : 0;
  scale(factor, w);
  tails_.col(j) *= factor;
  product_factor_ = euclidean_ ? 1 : factor;
  if (!euclidean_) metric_factor_[static_cast<std::size_t>(j % ring())] = factor;

  if (!euclidean_ && length_ != full && j < keep_) {
    if (kept_.size() <= static_cast<std::size_t>(j)) kept_.emplace_back(w.size(), w.backend());
    axpby(factor, metric_of(j), 0.0, kept_[static_cast<std::size_t>(j)]);
  }

  if (j == 0) {
    beta_ = norm;
    return;
  }
  h_(j, j - 1) = norm;
  m_ = j;
  h_norm_ = std::max(h_norm_, h_.col(j - 1).head(j + 1).lpNorm<1>());
  largest_ = std::max(largest_, h_.col(j - 1).head(j + 1).norm());
  breakdown_ = !(norm > 16 * epsilon * largest_);
}

/// product ← A v_{j+1}; for a bordered matrix [[A,B],[0,N]].
void Arnoldi::multiply(int j) {
  const Vector& x = basis_[static_cast<std::size_t>(j)];
  ++products_;
  if (euclidean_)
    a_->apply(x, product_);
  else
    a_->apply_both(x, product_, metric_of(j));
  const auto& [b, eta, step] = border_;
  const auto p = static_cast<Eigen::Index>(border_.size());
  for (Eigen::Index k = 0; k < p; ++k) {
    const ConstVectorView column = b[static_cast<std::size_t>(p - k)];
    if (!column.empty() && tails_(k, j) != 0) axpy(tails_(k, j) / (eta * step), column, product_);
    product_tail_(k) = k + 1 < p ? tails_(k + 1, j) / step : 0.0;
  }
}

/// w = A v_{j+1} − Σ_i h_ij v_i with h_ij = ⟨v_i, A v_{j+1}⟩ from the stored G v_i, in the place of v_{j+2}.
void Arnoldi::orthogonalize(int j) {
  const int first = std::max(0, j + 1 - length_);
  const auto count = static_cast<std::size_t>(j + 1 - first);
  const std::span<const Vector> against =
      std::span<const Vector>(basis_).subspan(static_cast<std::size_t>(first), count);
  const auto tails = tails_.middleCols(first, static_cast<Eigen::Index>(count));
  std::vector<double> h(count), in_ring(count);

  const auto coefficients = [&](const Vector& x, const Eigen::VectorXd& tail, double factor) {
    if (euclidean_) {
      multi_dot(against, x, h);
    } else {  // the ring holds exactly the vectors asked for, in another order
      multi_dot(std::span<const Vector>(metric_).first(count), x, in_ring);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t slot = (static_cast<std::size_t>(first) + i) % metric_.size();
        h[i] = in_ring[slot] * metric_factor_[slot];
      }
    }
    for (std::size_t i = 0; i < count; ++i)
      h[i] = factor * (h[i] + tails.col(static_cast<Eigen::Index>(i)).dot(tail));
  };
  const auto subtract = [&](Vector& w, double factor) {  // w ← factor w − Σ h_i v_i
    for (double& c : h) c = -c;
    multi_axpby(h, against, factor, w);
  };
  const Eigen::Map<const Eigen::VectorXd> minus_h(h.data(), static_cast<Eigen::Index>(count));

  coefficients(product_, product_tail_, product_factor_);
  auto column = h_.col(j);
  column.setZero();
  Vector& w = basis_[static_cast<std::size_t>(j) + 1];
  w.swap(product_);
  subtract(w, product_factor_);
  Eigen::VectorXd tail = product_factor_ * product_tail_ + tails * minus_h;
  column.segment(first, static_cast<Eigen::Index>(count)) = -minus_h;

  if (length_ == full) {  // once more, since one pass of the classical process leaves ε ‖A v‖/‖w‖
    coefficients(w, tail, 1.0);
    subtract(w, 1.0);
    tail += tails * minus_h;
    column.segment(first, static_cast<Eigen::Index>(count)) -= minus_h;
  }
  tails_.col(j + 1) = tail;
}

int Arnoldi::grow(int m) {
  assert(!(beta_ <= 0));  // NaN passes: results are checked by the caller
  reserve(m);
  for (int j = m_; j < m && !breakdown_; ++j) {
    if (euclidean_) multiply(j);
    orthogonalize(j);
    adopt(j + 1);
  }
  return m_;
}

// With W = VᵀGV = RᵀR the basis Q = V R⁻¹ is orthonormal, and QᵀGAQ = R⁻ᵀ (VᵀG V_{d+1}) H R⁻¹.
Eigen::MatrixXd Arnoldi::compression(int d) const {
  d = std::min(d, m_);
  Eigen::MatrixXd A = h_.topLeftCorner(d, d), T = tails_.leftCols(d);
  if (length_ != full) {
    d = std::min(d, keep_ - 1);
    Eigen::MatrixXd W(d, d + 1);  // ⟨v_i, v_j⟩
    std::vector<double> column(static_cast<std::size_t>(d));
    const auto first = std::span<const Vector>(basis_).first(static_cast<std::size_t>(d));
    for (int j = 0; j <= d; ++j) {
      multi_dot(first, euclidean_ ? basis_[static_cast<std::size_t>(j)] : kept_[static_cast<std::size_t>(j)],
                column);
      W.col(j) = Eigen::Map<const Eigen::VectorXd>(column.data(), d) +
                 tails_.leftCols(d).transpose() * tails_.col(j);
    }
    // Vectors that depend on those before them, up to round-off, say nothing new.
    Eigen::MatrixXd R = Eigen::MatrixXd::Zero(d, d);
    int rank = 0;
    for (; rank < d; ++rank) {
      if (rank > 0)
        R.col(rank).head(rank) = R.topLeftCorner(rank, rank)
                                     .transpose()
                                     .triangularView<Eigen::Lower>()
                                     .solve(W.col(rank).head(rank));
      const double rest = W(rank, rank) - R.col(rank).head(rank).squaredNorm();
      if (!(rest > 1e-6)) break;
      R(rank, rank) = std::sqrt(rest);
    }
    if (rank == 0) return {};
    const auto U = R.topLeftCorner(rank, rank);
    const Eigen::MatrixXd GA = W.topLeftCorner(rank, rank + 1) * h_.topLeftCorner(rank + 1, rank);
    A = U.transpose().triangularView<Eigen::Lower>().solve(GA);
    A = U.triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(A).eval();
    if (tails_.rows() > 0)  // Eigen's solver takes no empty right-hand sides
      T = U.triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(Eigen::MatrixXd(tails_.leftCols(rank)));
  }
  if (T.rows() == 0 || A.rows() <= T.rows()) return A;
  const Eigen::MatrixXd Q = orthogonal_factor(T.transpose());
  const auto Z = Q.rightCols(A.rows() - T.rows());
  return Z.transpose() * A * Z;
}

void Arnoldi::add_combination(std::span<const double> c, VectorView y) const {
  assert(c.size() <= static_cast<std::size_t>(m_) + 1);
  multi_axpy(c, std::span<const Vector>(basis_).first(c.size()), y);
}

}  // namespace stiffly
