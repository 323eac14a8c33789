#include "stiffly/phi/shift_invert_space.hpp"

#include <cmath>

namespace stiffly {
namespace {

Vector& slot(std::vector<Vector>& vectors, std::size_t i, const LinearOperator& J) {
  if (vectors.size() <= i) vectors.resize(i + 1);
  if (vectors[i].size() != J.size() || &vectors[i].backend() != &J.backend())
    vectors[i] = Vector(J.size(), J.backend());
  return vectors[i];
}

/// Room for another row and column, old entries kept, new ones zero.
void grow(Eigen::MatrixXd& a, Eigen::Index rows, Eigen::Index columns) {
  if (a.rows() >= rows && a.cols() >= columns) return;
  const auto room = [](Eigen::Index have, Eigen::Index need) {
    return need > have ? std::max(2 * have, need) : have;
  };
  Eigen::MatrixXd larger = Eigen::MatrixXd::Zero(room(a.rows(), rows), room(a.cols(), columns));
  larger.topLeftCorner(a.rows(), a.cols()) = a;
  a = std::move(larger);
}

}  // namespace

void ShiftInvertSpace::begin(const LinearOperator& J, const ShiftedInverse& inverse, double pole,
                             std::span<const ConstVectorView> b) {
  jacobian_ = &J;
  inverse_ = &inverse;
  pole_ = pole;
  b_.assign(b.begin(), b.end());
  p_ = b.size() - 1;
  m_ = 0;
  breakdown_ = false;
  const auto p = static_cast<Eigen::Index>(p_);
  small_ = Eigen::MatrixXd::Zero(p, 32);
  h_ = Eigen::MatrixXd::Zero(33, 32);
  gram_ = Eigen::MatrixXd::Zero(p, 32);
  if (work_.size() != J.size() || &work_.backend() != &J.backend()) work_ = Vector(J.size(), J.backend());

  Vector& first = slot(basis_, 0, J);
  if (b_[0].empty())
    fill(0, first);
  else
    copy(b_[0], first);
  unit_ = 0;
  for (std::size_t j = 0; j <= p_; ++j)
    if (!b_[j].empty())
      unit_ = std::max(unit_, std::pow(pole_, static_cast<double>(j)) * metric_norm(J, b_[j], work_));
  Eigen::VectorXd small = Eigen::VectorXd::Zero(p);
  if (p > 0) small(0) = unit_;
  adopt(std::move(small));
}

// (I − γN)⁻¹, where γN shifts by one: a_j ← a_j + a_{j−1} + … + a_1.
Eigen::VectorXd ShiftInvertSpace::border_solve(Eigen::VectorXd small) const {
  for (Eigen::Index j = 1; j < small.size(); ++j) small(j) += small(j - 1);
  return small;
}

// What I − γhJ is solved with for X̃v_k: its large part plus Σ_j γ^j b_j a_j/η, a the border part of the
// result.
void ShiftInvertSpace::right_hand_side(int k, VectorView y) const {
  copy(basis_[static_cast<std::size_t>(k)], y);
  const Eigen::VectorXd a = border_solve(small_.col(k));
  for (std::size_t j = 1; j <= p_; ++j) {
    const double factor =
        std::pow(pole_, static_cast<double>(j)) / unit_ * a(static_cast<Eigen::Index>(j) - 1);
    if (!b_[j].empty() && factor != 0) axpy(factor, b_[j], y);
  }
}

void ShiftInvertSpace::extend() {
  if (breakdown_) return;
  right_hand_side(m_, work_);
  Vector& next = slot(basis_, static_cast<std::size_t>(m_) + 1, *jacobian_);
  inverse_->solve(work_, next);
  const Eigen::VectorXd a = border_solve(small_.col(m_));
  ++m_;
  adopt(a);
}

// Makes basis_[m] with the border part `small` orthogonal to its predecessors, twice, and normal.
// Coefficients go to column m−1 of H.
void ShiftInvertSpace::adopt(Eigen::VectorXd small) {
  const auto k = static_cast<std::size_t>(m_);
  const Eigen::Index column = m_;
  grow(h_, column + 2, column + 1);
  grow(gram_, gram_.rows(), column + 1);
  grow(small_, small_.rows(), column + 1);
  Vector& x = basis_[k];
  std::vector<double> c(k + 1);

  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t spanned = std::min(k, p_);
    for (std::size_t i = 0; i < spanned; ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      c[i] = small_.col(at).dot(small);
      small -= c[i] * small_.col(at);
    }
    multi_axpy_minus(c, 0, spanned, x);
    for (std::size_t i = 0; i < spanned; ++i) h_(static_cast<Eigen::Index>(i), column - 1) += c[i];
    if (k <= p_) continue;
    multi_dot(duals().subspan(p_, k - p_), x, std::span(c).subspan(p_, k - p_));
    multi_axpy_minus(c, p_, k - p_, x);
    for (std::size_t i = p_; i < k; ++i) h_(static_cast<Eigen::Index>(i), column - 1) += c[i];
  }

  const bool metric = !jacobian_->euclidean();
  if (metric) jacobian_->apply_metric(x, slot(metric_, k, *jacobian_));
  const double large = metric ? norm_from_metric(x, metric_[k]) : stiffly::norm(x);
  const double size = k < p_ ? small.norm() : large;
  if (k > 0) {
    const double before = std::hypot(h_.col(column - 1).head(column).norm(), size);
    if (!(size > 1e-14 * before)) {
      breakdown_ = true;
      return;
    }
    h_(column, column - 1) = size;
  } else {
    beta_ = size;
  }
  scale(1 / size, x);
  if (metric) scale(1 / size, metric_[k]);
  if (p_ > 0)
    small_.col(column) = k < p_ ? Eigen::VectorXd(small / size) : Eigen::VectorXd::Zero(small.size());
  if (p_ > 0) {
    multi_dot(duals().first(std::min(k + 1, p_)), x, std::span(c).first(std::min(k + 1, p_)));
    for (std::size_t i = 0; i < std::min(k + 1, p_); ++i) gram_(static_cast<Eigen::Index>(i), column) = c[i];
  }
}

void ShiftInvertSpace::multi_axpy_minus(std::vector<double>& c, std::size_t first, std::size_t count,
                                        VectorView x) const {
  if (count == 0) return;
  std::vector<double> minus(count);
  for (std::size_t i = 0; i < count; ++i) minus[i] = -c[first + i];
  multi_axpy(minus, std::span(basis_).subspan(first, count), x);
}

// The vectors after the border are orthonormal; of the first p, only their inner products with all are known.
// Parts inside the space of the others are summed before they are squared: w may be far smaller than its
// terms.
double ShiftInvertSpace::norm(const Eigen::VectorXd& c) const {
  const auto p = std::min<Eigen::Index>(border(), c.size());
  const Eigen::Index rest = c.size() - p;
  const Eigen::MatrixXd along = gram_.block(0, p, p, rest);
  const Eigen::MatrixXd all = gram_.block(0, 0, p, p).selfadjointView<Eigen::Upper>();
  const double inside = (c.tail(rest) + along.transpose() * c.head(p)).norm();
  const double outside = c.head(p).dot((all - along * along.transpose()) * c.head(p));
  return std::hypot(inside, std::sqrt(std::max(0.0, outside)));
}

double ShiftInvertSpace::magnitude(const Eigen::VectorXd& c) const {
  const auto p = std::min<Eigen::Index>(static_cast<Eigen::Index>(p_), c.size());
  double sum = c.tail(c.size() - p).norm();
  for (Eigen::Index i = 0; i < p; ++i) sum += std::abs(c(i)) * std::sqrt(std::max(0.0, gram_(i, i)));
  return sum;
}

void ShiftInvertSpace::combine(const Eigen::VectorXd& c, VectorView y) const {
  fill(0, y);
  const auto count = static_cast<std::size_t>(c.size());
  multi_axpy(std::span(c.data(), count), std::span(basis_).first(count), y);
}

// With x = (VH)_k, d = X(right-hand side − (I − γhJ)x) is what a step of iterative refinement would add to x.
double ShiftInvertSpace::solve_error(double step) const {
  const int k = std::min(border(), m_ - 1);
  const Eigen::Index rows = std::min<Eigen::Index>(k + 2, breakdown_ ? m_ : m_ + 1);
  Vector x(jacobian_->size(), jacobian_->backend());
  Vector y(x);
  Vector rest(x);
  combine(h_.col(k).head(rows), x);
  right_hand_side(k, rest);
  jacobian_->apply(x, y);
  axpy(-1, x, rest);
  axpy(pole_ * step, y, rest);
  inverse_->solve(rest, y);
  const double size = metric_norm(*jacobian_, x);
  return size > 0 ? metric_norm(*jacobian_, y) / size : 0;
}

}  // namespace stiffly
