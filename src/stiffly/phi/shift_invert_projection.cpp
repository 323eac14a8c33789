#include "stiffly/phi/shift_invert_projection.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <Eigen/LU>
#include <numbers>

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
/// both its terms have a pole. Elsewhere the phase of e^{tλ} is as good as random.
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
std::vector<double> ShiftInvertProjection::error_bounds(const VectorXd& start,
                                                        const std::vector<double>& times,
                                                        const std::vector<double>& enough, double accuracy,
                                                        bool smoothed) const {
  const Eigen::Index m = h_.rows();
  const auto count = static_cast<Eigen::Index>(times.size());
  MatrixXd states(m, count + 1);  // start, then the states at the times
  states.col(0) = start;
  for (Eigen::Index i = 0; i < count; ++i)
    states.col(i + 1) = evolve(times[static_cast<std::size_t>(i)], start);

  std::vector<MatrixXd> slow = {states};
  std::vector<MatrixXd> fast = {MatrixXd::Zero(m, count + 1)};
  const auto noise = [&](const MatrixXd& part) -> Eigen::RowVectorXd {
    const MatrixXd once = part - pole_ * s_ * part;  // H⁻¹ = I − γS
    return accuracy / pole_ * (once - pole_ * s_ * once).bottomRows(m - border_).colwise().norm();
  };
  std::vector<Eigen::RowVectorXd> roundoff = {noise(states)};
  const auto split = [&](int order, double ratio) {  // k, δ/γ
    const MatrixXd denominator = (1 - ratio) * h_ + ratio * MatrixXd::Identity(m, m);
    const Eigen::PartialPivLU<MatrixXd> solver(denominator);
    MatrixXd u = binomial(2 * order - 1, order - 1) * states;
    for (int j = order - 2; j >= 0; --j) u = solver.solve(h_ * u) + binomial(order + j, j) * states;
    for (int j = 0; j <= order; ++j) u -= solver.solve(h_ * u);
    if (!u.allFinite()) return;
    slow.push_back(states - u);
    roundoff.push_back(noise(slow.back()));
    fast.push_back(std::move(u));
  };
  const int order = std::max(3, border_ - 1);
  for (double ratio = 1; ratio * pole_ * s_norm_ > 0.5 && slow.size() < 16; ratio /= 4) split(order, ratio);
  // Where fast and slow are only a factor of fifty apart, a sharper cut between them.
  for (double ratio = 1; ratio * pole_ * s_norm_ > 0.5 && ratio > 1e-3; ratio /= 2) split(order + 4, ratio);
  const auto splits = static_cast<Eigen::Index>(slow.size());
  RowMatrixXcd system(m, m + splits * (count + 1));
  system.leftCols(m) = h_.cast<Complex>();
  for (Eigen::Index k = 0; k < splits; ++k)
    system.middleCols(m + k * (count + 1), count + 1) = slow[static_cast<std::size_t>(k)].cast<Complex>();

  const auto size = [&](const VectorXd& u) {
    return smoothed ? std::hypot((h_ * u).norm(), next_ * u(m - 1)) : u.norm();
  };
  constexpr double sampling = 1.2;  // what a supremum can exceed its samples by
  MatrixXd sup = MatrixXd::Zero(splits, count);
  std::vector<double> bounds(times.size());
  const auto update = [&] {  // returns whether all may still be small enough
    bool hopeful = true;
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      bounds[at] = HUGE_VAL;
      for (Eigen::Index k = 0; k < splits; ++k) {
        const auto& u = fast[static_cast<std::size_t>(k)];
        const double rest =
            transient_ * std::exp(abscissa_ * times[at]) * size(u.col(0)) + size(u.col(i + 1));
        const auto& r = roundoff[static_cast<std::size_t>(k)];
        const double perturbed = times[at] * std::max(r(0), r(i + 1));
        bounds[at] = std::min(bounds[at], transient_ * (sampling * sup(k, i) + perturbed) + rest);
      }
      hopeful = hopeful && bounds[at] <= enough[at];
    }
    return hopeful;
  };
  const auto look = [&](double frequency) {
    const Complex lambda(abscissa_, frequency);
    RowMatrixXcd work = system;
    const Complex x = 1.0 / (1.0 - pole_ * lambda);
    const Eigen::RowVectorXcd last = (smoothed ? x : Complex(1)) * next_ * last_entries(work, x);
    for (Eigen::Index i = 0; i < count; ++i) {
      const double t = times[static_cast<std::size_t>(i)];
      const bool phase = phase_matters(frequency, t);
      for (Eigen::Index k = 0; k < splits; ++k) {
        const Complex kept = last(k * (count + 1) + i + 1);
        const Complex free = std::exp(lambda * t) * last(k * (count + 1));
        sup(k, i) = std::max(sup(k, i), phase ? std::abs(kept - free) : std::abs(kept) + std::abs(free));
      }
    }
  };

  if (!update()) return bounds;
  std::size_t looked = 0;
  for (const double w : frequencies(times)) {
    look(w);
    if (++looked % 8 == 0 && !update()) return bounds;
  }
  update();
  return bounds;
}

}  // namespace stiffly
