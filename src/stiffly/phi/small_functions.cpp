#include "stiffly/phi/small_functions.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/effort.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/linalg/dense.hpp"
#include "stiffly/phi/evaluator.hpp"

namespace stiffly {
namespace {

constexpr int taylor_degree = 18;  // 1/18! < eps/10: enough where ‖stage·hH‖ ≤ 1
constexpr int max_stages = 4000;
constexpr double aim = 0.2;  // of the tolerance: the norm of the result may be smaller than sizes on the way

/// ‖E‖_2
double exact_norm(const Eigen::MatrixXd& E) {
  return std::sqrt(symmetric_eigenvalues(E.transpose() * E).maxCoeff());
}

}  // namespace

void ProjectedSolution::follow(const Arnoldi& krylov, int p, double step, double length, double exponent,
                               double enough, double deadline) {
  m_ = krylov.size();
  band_ = std::min(krylov.band(), m_ - 1);
  p_ = p;
  const Eigen::MatrixXd H = step * krylov.H();
  diagonals_ = Eigen::MatrixXd::Zero(m_ + 1, band_ + 2);
  for (int j = 0; j < m_; ++j)
    for (int i = std::max(0, j - band_); i <= j + 1; ++i) diagonals_(i, j - i + 1) = H(i, j);
  frequency_ = std::min(step * krylov.H_norm(), power_growth());
  const double next = H(m_, m_ - 1);

  Eigen::VectorXd start = Eigen::VectorXd::Zero(m_ + 1 + p_);
  start(p_ == 0 ? 0 : m_ + p_) = 1;
  for (bool done = false; !done; frequency_ *= done ? 1 : 2) {  // again if the stages were too long
    const double count = std::max(4.0, std::ceil(length * frequency_));
    stage_ = length / count;
    const double growth = std::exp(exponent * stage_);
    Eigen::VectorXd y = start;
    states_.assign(1, y);
    residual_.assign(1, 0.0);
    size_integral_.assign(1, 0.0);
    done = true;
    for (int k = 0; k < std::min(count, 1.0 * max_stages) && residual_.back() <= enough && done; ++k) {
      if (effort_seconds() > deadline)
        throw PhiRefusal("the small systems of Krylov spaces take more work than is allowed for");
      const double before = std::abs(y(m_ - 1)), size_before = y.head(m_).norm();
      done = advance(y, stage_) || stage_ * step * krylov.H_norm() <= 1;
      // Between two points 1/frequency apart F_m can rise a little above both.
      residual_.push_back(growth *
                          (residual_.back() + 1.2 * stage_ * next * std::max(before, std::abs(y(m_ - 1)))));
      size_integral_.push_back(growth *
                               (size_integral_.back() + stage_ * std::max(size_before, y.head(m_).norm())));
      states_.push_back(y);
    }
  }
}

/// Largest ‖(hH)^k x‖^{1/k} for some k and x. In the Euclidean norm an oscillator has ‖J‖ = ω², but powers
/// grow like ω^k.
double ProjectedSolution::power_growth() const {
  double largest = 0;
  for (const double ratio : {0.0, 1.0}) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(m_ + 1 + p_), image(m_ + 1 + p_);
    for (int i = 0; i < m_; ++i) x(i) = i == 0 ? 1 : ratio * std::cos(i);  // e_1, and nothing in particular
    x.normalize();
    double logarithm = 0;  // of ‖(hH)^k x‖
    for (int k = 1; k <= 16; ++k) {
      multiply(x, image);
      x = image;
      x.tail(p_ + 1).setZero();
      const double norm = x.norm();
      if (!(norm > 0)) break;
      logarithm += std::log(norm);
      if (k >= 6) largest = std::max(largest, std::exp(logarithm / k));
      x /= norm;
    }
  }
  return 1.1 * largest;
}

/// out = Ĥ y, Ĥ = [[hH, 0, e_1, 0], [0, 0, shift]] with the row h_{m+1,m} e_mᵀ below hH: F, its integral, the
/// powers.
void ProjectedSolution::multiply(const Eigen::VectorXd& y, Eigen::VectorXd& out) const {
  out.setZero();
  double* o = out.data();
  // Diagonal by diagonal, the one below the main first: most matrices have three, and loops along them are
  // long.
  for (int d = -1; d <= band_; ++d) {
    const double *entries = diagonals_.data() + static_cast<Eigen::Index>(d + 1) * diagonals_.rows(),
                 *x = y.data() + d;
    for (int i = std::max(0, -d); i < m_ - d; ++i) o[i] += entries[i] * x[i];
  }
  if (p_ > 0) out(0) += y(m_ + 1);
  for (int k = 1; k < p_; ++k) out(m_ + k) = y(m_ + 1 + k);
}

/// y ← e^{time·Ĥ} y by its Taylor series; returns whether that has converged.
bool ProjectedSolution::advance(Eigen::VectorXd& y, double time) const {
  const double width = std::min(band_ + 2, m_);
  add_effort(effort::call + effort::small * m_ * (width + 4) * (taylor_degree + p_));
  Eigen::VectorXd term = y, image(y.size());
  for (int k = 1; k <= taylor_degree + p_; ++k) {
    multiply(term, image);
    term = (time / k) * image;
    y += term;
  }
  return !(term.head(m_).norm() >
           1e-16 * y.head(m_).norm());  // also for what is not finite: there is no cure
}

int ProjectedSolution::stage_of(double s) const {
  return std::clamp(static_cast<int>(std::floor(s / stage_ * (1 + 1e-14))), 0, stages());
}

double ProjectedSolution::residual_at(double s) const {
  return residual_[static_cast<std::size_t>(
      std::min(stage_of(s) + (s > time(stage_of(s)) ? 1 : 0), stages()))];
}

double ProjectedSolution::size_integral_at(double s) const {
  return size_integral_[static_cast<std::size_t>(std::min(stage_of(s) + 1, stages()))];
}

Eigen::VectorXd ProjectedSolution::at(double s) const {
  const int k = stage_of(s);
  Eigen::VectorXd y = states_[static_cast<std::size_t>(k)];
  if (s > time(k)) advance(y, s - time(k));
  return y.head(m_ + 1);
}

void Magnification::observe(const Eigen::MatrixXd& hA, double end) {
  constexpr int octaves = 14;
  if (times_.empty()) {
    norms_.assign(octaves + 1, 0.0);
    for (int i = 0; i <= octaves; ++i) times_.push_back(std::ldexp(end, -i));
  }
  Eigen::MatrixXd E = exponential(std::ldexp(end, -octaves) * hA);
  for (std::size_t i = octaves + 1; i-- > 0;) {
    const double norm = E.allFinite() ? exact_norm(E) : HUGE_VAL;
    norms_[i] = std::max(norms_[i], norm);
    if (i > 0) E = (E * E).eval();
  }
  exponent_ = std::max(0.0, std::log(norms_[0] / norms_[1]) / (end / 2));
  transient_ = 1;
  for (std::size_t i = 0; i < times_.size(); ++i)
    transient_ = std::max(transient_, norms_[i] * std::exp(-exponent_ * times_[i]));
}

double Magnification::up_to(double sigma) const {
  double below = 1;  // A at the last point not beyond σ
  for (std::size_t i = times_.size(); i-- > 0; below = std::max(below, norms_[i])) {
    if (times_[i] <= sigma) continue;
    const double above = std::max(below, norms_[i]), start = i + 1 < times_.size() ? times_[i + 1] : 0;
    return below * std::pow(above / below, (sigma - start) / (times_[i] - start));  // growth is exponential
  }
  return below;
}

double Magnification::operator()(double sigma) const {
  double later = times_.empty() ? 1 : 0;  // B(σ)
  for (std::size_t i = 0; i < times_.size(); ++i) {
    later = std::max(later, norms_[i]);
    if (times_[i] <= sigma) break;
    if (i + 1 == times_.size()) later = 1;
  }
  // A few dozen dimensions may not see the weakest damping: only a strong one is trusted.
  return std::min(up_to(sigma), later < 0.1 ? later : std::max(1.0, later));
}

double ErrorAccount::budget(double s, double size) const {
  return aim * std::max(relative_ * size, absolute_) * s / end_;
}

void ErrorAccount::observe(const Arnoldi& krylov, double step) {
  const std::size_t substeps = entries_.size();
  if (conservative_ || (substeps & (substeps - 1)) != 0) return;
  const Eigen::MatrixXd A = krylov.compression(keep() - 1);
  if (A.size() > 0) magnification_.observe(step * A, end_);
}

void ErrorAccount::close(double t, double s, double local, double norm) {
  size_ = std::max(size_after(s), norm);
  entries_.push_back({t, local});
}

double ErrorAccount::error_at(double c) const {
  double sum = 0;
  for (const Entry& entry : entries_) sum += magnification_(c - entry.time) * entry.error;
  return sum;
}

}  // namespace stiffly
