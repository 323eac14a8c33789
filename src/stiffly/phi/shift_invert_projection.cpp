#include "stiffly/phi/shift_invert_projection.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <Eigen/LU>
#include <numbers>

#include "stiffly/effort.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;
using Eigen::VectorXd;
constexpr double pi = std::numbers::pi;
/// Phases t|λ| up to which the p-fold eigenvalue zero of the border makes both terms of f_t large and alike.
constexpr double border_reach = 10 * pi;

using RowMatrixXcd = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// ‖A‖_2 by a few power iterations on AᵀA; a little too small at worst.
double spectral_norm(const MatrixXd& A) {
  if (A.size() == 0) return 0;
  VectorXd x = VectorXd::LinSpaced(A.cols(), 1, 2).normalized();
  double norm = 0;
  for (int k = 0; k < 12; ++k) {
    const VectorXd y = A * x;
    norm = y.norm();
    x = A.transpose() * y;
    if (!(x.norm() > 0)) break;
    x.normalize();
  }
  return norm;
}

double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value *= static_cast<double>(n - k + i) / i;
  return value;
}

/// e^A − I for ‖A‖ ≤ 1, by its Taylor series.
MatrixXd exponential_minus_one(const MatrixXd& A) {
  constexpr int degree = 18;  // 1/19! is below round-off
  MatrixXd sum = A / degree;
  for (int k = degree - 1; k >= 1; --k) sum = (A + A * sum) / k;
  return sum;
}

/// The last entries of (H − xI)⁻¹R, column by column of R: elimination downwards is all that takes, as H is
/// upper Hessenberg. `work` is m × (m + columns of R) and holds [H R] on entry.
Eigen::RowVectorXcd last_entries(RowMatrixXcd& work, Complex x) {
  const Eigen::Index m = work.rows();
  work.diagonal().array() -= x;
  for (Eigen::Index j = 0; j + 1 < m; ++j) {
    if (std::norm(work(j + 1, j)) > std::norm(work(j, j)))
      work.row(j).tail(work.cols() - j).swap(work.row(j + 1).tail(work.cols() - j));
    if (work(j + 1, j) == 0.0) continue;
    const Complex factor = work(j + 1, j) / work(j, j);
    work.row(j + 1).tail(work.cols() - j) -= factor * work.row(j).tail(work.cols() - j);
  }
  // x may hit an eigenvalue of H exactly; its neighbourhood is what counts, and is as good.
  const Complex pivot = work(m - 1, m - 1);
  const double least = 1e-300;
  return work.row(m - 1).tail(work.cols() - m) / (std::abs(pivot) > least ? pivot : Complex(least));
}

}  // namespace

ShiftInvertProjection::ShiftInvertProjection(const MatrixXd& H, double next, double pole, int border,
                                             double length)
    : h_(H), next_(next), pole_(pole), border_(border) {
  const Eigen::Index m = H.rows();
  if (m <= border || !H.allFinite()) return;  // a space of nothing but the border, or of what is not a number
  s_ = (MatrixXd::Identity(m, m) - inverse(H)) / pole;
  s_norm_ = s_.cwiseAbs().colwise().sum().maxCoeff();
  constexpr double largest = 0x1p50;  // beyond it squaring leaves no correct digit
  if (!s_.allFinite() || s_norm_ * length > largest) return;

  const int squarings = std::max(0, std::ilogb(std::max(s_norm_ * length, 1.0)) + 1);  // ‖stage S‖ ≤ 1/2 … 1
  stage_ = std::ldexp(length, -squarings);
  levels_.push_back(exponential_minus_one(stage_ * s_));
  for (int k = 0; k < squarings; ++k) levels_.push_back(2 * levels_.back() + levels_.back() * levels_.back());
  if (!levels_.back().allFinite()) return;

  ritz_ = eigenvalues(H.bottomRightCorner(m - border, m - border));
  for (Complex& z : ritz_) z = (1.0 - 1.0 / z) / pole;
  usable_ = ritz_.allFinite();
  if (usable_) measure_growth(length);
}

void ShiftInvertProjection::measure_growth(double length) {
  add_effort(effort::cubic(h_.rows(), 4.0 * static_cast<double>(levels_.size())));
  abscissa_ = std::max(0.0, ritz_.real().maxCoeff());
  const Eigen::Index inner = h_.rows() - border_;
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    const double t = std::ldexp(stage_, static_cast<int>(k));
    if (t < length / 64) continue;
    const double norm =
        spectral_norm(MatrixXd::Identity(inner, inner) + levels_[k].bottomRightCorner(inner, inner));
    growth_ = std::max(growth_, norm);
    transient_ = std::max(transient_, norm * std::exp(-abscissa_ * t));
  }
  if (pole_ * abscissa_ > 0.5) usable_ = false;  // the pole must stay to the right of the spectrum
}

// e^{tS}y from the binary digits of t/stage; what is left of t is below one stage, a short Taylor series.
VectorXd ShiftInvertProjection::evolve(double t, const VectorXd& y) const {
  auto digits = static_cast<std::uint64_t>(t / stage_);
  digits = std::min(digits, (std::uint64_t{1} << (levels_.size() - 1)));
  const double rest = std::max(0.0, t - static_cast<double>(digits) * stage_);
  VectorXd result = y;
  VectorXd term = y;
  for (int k = 1; k <= 18 && rest > 0; ++k) {
    term = s_ * term * (rest / k);
    result += term;
  }
  for (std::size_t k = 0; digits != 0; ++k, digits >>= 1)
    if (digits & 1) result += levels_[k] * result;
  return result;
}

/// Where |f_t| is looked at along Re λ = abscissa: at and between Ritz values, by quarter periods of e^{tλ}
/// around the undamped ones and, with a border, near zero; coarsely elsewhere.
std::vector<double> ShiftInvertProjection::frequencies(const std::vector<double>& times) const {
  std::vector<double> found;
  for (const Complex& z : ritz_)
    if (z.imag() >= 0) found.push_back(z.imag());
  std::sort(found.begin(), found.end());
  const std::size_t ritz = found.size();
  for (std::size_t i = 0; i + 1 < ritz; ++i) found.push_back((found[i] + found[i + 1]) / 2);
  for (const double t : times) {
    for (std::size_t i = 0; i < ritz; ++i)
      if (phase_matters(found[i], t))
        for (const int k : {-2, -1, 1, 2}) found.push_back(std::abs(found[i] + k * pi / (2 * t)));
    if (border_ > 0)
      for (double k = 0.5; k * pi / 2 < border_reach; k = k < 4 ? k + 0.5 : k + 1)
        found.push_back(k * pi / (2 * t));
  }
  for (int k = 0; k < 24; ++k)
    found.push_back(std::tan((k + 0.5) / 24 * pi / 2) / pole_);  // equal angles for x(λ)
  for (double w = 32 / pole_; w < 8 * s_norm_ + 64 / pole_; w *= 3) found.push_back(w);
  if (border_ > 0) {  // at the border's own eigenvalue, zero, f_t is a quotient of zeros; it is smooth there
    const double least = pi / (4 * *std::max_element(times.begin(), times.end()));
    std::erase_if(found, [&](double w) { return w < 0.99 * least; });
  }
  return found;
}

/// Whether an eigenvalue that e^{tS} keeps alive is so near that f_t is a difference quotient: smooth where
/// both its terms have a pole. Elsewhere the phase of e^{tλ} is effectively random.
bool ShiftInvertProjection::phase_matters(double frequency, double t) const {
  if (border_ > 0 && frequency * t < border_reach) return true;
  return std::any_of(ritz_.begin(), ritz_.end(),
                     [&](const Complex& z) { return std::abs(z - Complex(abscissa_, frequency)) * t < pi; });
}

// ‖f_t(A)v‖ ≤ sup |f_t| over the half plane that holds the numerical range of A (von Neumann's inequality),
// by the maximum principle over its edge. Where A is not dissipative, the edge is put at the spectral
// abscissa and the largest transient growth stands in for the rest.
//
// Fast components of y_0 are often beyond resolution and below the tolerance. So y_0 = (y_0 − u) + u is split
// with
//   u = Fᵏ⁺¹ Σ_{j<k} (k+j over j) Rʲ y_0,   R = (I − δS)⁻¹ = H((1 − δ/γ)H + (δ/γ)I)⁻¹,   F = I − R.
// Of what is faster than 1/δ, u lacks O(Rᵏ); of the rest, border included, it keeps O(Fᵏ⁺¹). (These are the
// terms of (R + F)²ᵏ = I with more F than R.) The slow part is bounded by its own f_t, the fast one by what
// it can be at most, ‖e^{tA}Vu‖ + ‖e^{tS}u‖. Every δ gives a bound; the least counts.
//
// X commutes with e^{tA}: smoothed, f_t is multiplied by x(λ), and what the fast part can be at most is
// ‖XVu‖ = ‖VHu + h v u_m‖.
//
// An error ε in the products with X makes one of ε in H, of εH⁻²/γ in S, and of at most t ε‖H⁻²y‖/γ in the
// result.
class ShiftInvertProjection::Bounds {
 public:
  Bounds(const ShiftInvertProjection& projection, const VectorXd& start, const std::vector<double>& times,
         double accuracy, bool smoothed);
  /// Takes |f_t| at abscissa + i·frequency into the supremum.
  void sample(double frequency);
  /// Bounds from the samples so far; whether none exceeds `enough`.
  bool update(const std::vector<double>& enough);
  const std::vector<double>& values() const { return bounds_; }

 private:
  /// y_0 and the states at the times (columns), as slow + fast.
  struct Split {
    MatrixXd slow, fast;
    Eigen::RowVectorXd roundoff;  ///< of the slow part, per unit of time
  };
  void split(const MatrixXd& states, int order, double ratio);
  Eigen::RowVectorXd roundoff(const MatrixXd& part) const;
  double size(const VectorXd& u) const;
  Eigen::Index width() const { return static_cast<Eigen::Index>(times_.size()) + 1; }

  const ShiftInvertProjection& of_;
  const std::vector<double>& times_;
  double accuracy_;
  bool smoothed_;
  std::vector<Split> splits_;
  RowMatrixXcd system_;  // [H, slow parts]
  MatrixXd sup_;         // of |f_t|: a row per split, a column per time
  std::vector<double> bounds_;
};

ShiftInvertProjection::Bounds::Bounds(const ShiftInvertProjection& projection, const VectorXd& start,
                                      const std::vector<double>& times, double accuracy, bool smoothed)
    : of_(projection), times_(times), accuracy_(accuracy), smoothed_(smoothed), bounds_(times.size()) {
  const Eigen::Index m = of_.h_.rows();
  MatrixXd states(m, width());
  states.col(0) = start;
  for (Eigen::Index i = 1; i < width(); ++i)
    states.col(i) = of_.evolve(times[static_cast<std::size_t>(i) - 1], start);

  splits_.push_back({states, MatrixXd::Zero(m, width()), roundoff(states)});
  const int order = std::max(3, of_.border_ - 1);
  const auto resolves = [&](double ratio) { return ratio * of_.pole_ * of_.s_norm_ > 0.5; };
  for (double ratio = 1; resolves(ratio) && splits_.size() < 16; ratio /= 4) split(states, order, ratio);
  // Where fast and slow are only a factor of fifty apart, a sharper cut between them.
  for (double ratio = 1; resolves(ratio) && ratio > 1e-3; ratio /= 2) split(states, order + 4, ratio);

  const auto count = static_cast<Eigen::Index>(splits_.size());
  system_.resize(m, m + count * width());
  system_.leftCols(m) = of_.h_.cast<Complex>();
  for (Eigen::Index k = 0; k < count; ++k)
    system_.middleCols(m + k * width(), width()) = splits_[static_cast<std::size_t>(k)].slow.cast<Complex>();
  sup_ = MatrixXd::Zero(count, width() - 1);
}

/// ε‖H⁻²y‖/γ with H⁻¹ = I − γS
Eigen::RowVectorXd ShiftInvertProjection::Bounds::roundoff(const MatrixXd& part) const {
  const MatrixXd once = part - of_.pole_ * of_.s_ * part;
  return accuracy_ / of_.pole_ *
         (once - of_.pole_ * of_.s_ * once).bottomRows(part.rows() - of_.border_).colwise().norm();
}

/// The split of order k with δ/γ = ratio.
void ShiftInvertProjection::Bounds::split(const MatrixXd& states, int order, double ratio) {
  const MatrixXd denominator =
      (1 - ratio) * of_.h_ + ratio * MatrixXd::Identity(states.rows(), states.rows());
  const Eigen::PartialPivLU<MatrixXd> solver(denominator);
  MatrixXd u = binomial(2 * order - 1, order - 1) * states;
  for (int j = order - 2; j >= 0; --j) u = solver.solve(of_.h_ * u) + binomial(order + j, j) * states;
  for (int j = 0; j <= order; ++j) u -= solver.solve(of_.h_ * u);
  if (!u.allFinite()) return;
  MatrixXd slow = states - u;
  Eigen::RowVectorXd lost = roundoff(slow);
  splits_.push_back({std::move(slow), std::move(u), std::move(lost)});
}

double ShiftInvertProjection::Bounds::size(const VectorXd& u) const {
  return smoothed_ ? std::hypot((of_.h_ * u).norm(), of_.next_ * u(u.size() - 1)) : u.norm();
}

bool ShiftInvertProjection::Bounds::update(const std::vector<double>& enough) {
  constexpr double sampling = 1.2;  // what a supremum can exceed its samples by
  bool all_within = true;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    bounds_[i] = HUGE_VAL;
    for (std::size_t k = 0; k < splits_.size(); ++k) {
      const auto& [slow, fast, lost] = splits_[k];
      const double rest = of_.transient_ * std::exp(of_.abscissa_ * times_[i]) * size(fast.col(0)) +
                          size(fast.col(column + 1));
      const double perturbed = times_[i] * std::max(lost(0), lost(column + 1));
      const double sup = sup_(static_cast<Eigen::Index>(k), column);
      bounds_[i] = std::min(bounds_[i], of_.transient_ * (sampling * sup + perturbed) + rest);
    }
    all_within = all_within && bounds_[i] <= enough[i];
  }
  return all_within;
}

void ShiftInvertProjection::Bounds::sample(double frequency) {
  add_effort(effort::call + 10 * effort::small * static_cast<double>(system_.size()));
  const Complex lambda(of_.abscissa_, frequency);
  RowMatrixXcd work = system_;
  const Complex x = 1.0 / (1.0 - of_.pole_ * lambda);
  const Eigen::RowVectorXcd last = (smoothed_ ? x : Complex(1)) * of_.next_ * last_entries(work, x);
  for (Eigen::Index i = 0; i < sup_.cols(); ++i) {
    const double t = times_[static_cast<std::size_t>(i)];
    const bool phase = of_.phase_matters(frequency, t);
    for (Eigen::Index k = 0; k < sup_.rows(); ++k) {
      const Complex kept = last(k * width() + i + 1);
      const Complex free = std::exp(lambda * t) * last(k * width());
      sup_(k, i) = std::max(sup_(k, i), phase ? std::abs(kept - free) : std::abs(kept) + std::abs(free));
    }
  }
}

std::vector<double> ShiftInvertProjection::error_bounds(const VectorXd& start,
                                                        const std::vector<double>& times,
                                                        const std::vector<double>& enough, double accuracy,
                                                        bool smoothed) const {
  Bounds bounds(*this, start, times, accuracy, smoothed);
  if (!bounds.update(enough)) return bounds.values();
  std::size_t samples = 0;
  for (const double w : frequencies(times)) {
    bounds.sample(w);
    if (++samples % 8 == 0 && !bounds.update(enough)) return bounds.values();
  }
  bounds.update(enough);
  return bounds.values();
}

}  // namespace stiffly
