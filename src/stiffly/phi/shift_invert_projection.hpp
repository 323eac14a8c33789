// The projected problem of a shift-and-invert Krylov space, and a bound of the error of what it yields.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace stiffly {

/// Let X = (I − γA)⁻¹ and XV = VH + h v e_mᵀ (Arnoldi with X). Then A is represented by S = (I − H⁻¹)/γ, and
///   y(t) = V e^{tS} y_0   approximates   u(t) = e^{tA} V y_0   with   u(t) − y(t) = −f_t(A) v,
///   f_t(λ) = h e_mᵀ (H − x(λ)I)⁻¹ (e^{tS} − e^{tλ}) y_0,   x(λ) = 1/(1 − γλ),
/// which is the residual (h/γ) e_mᵀH⁻¹e^{tS}y_0 (I − γA)v of y carried along to t. Nothing in f_t grows with
/// A.
///
/// The first `border` rows belong to the polynomial part of a bordered matrix [[A, B], [0, N]]: v has no such
/// part.
class ShiftInvertProjection {
 public:
  /// `H` is m × m upper Hessenberg, `next` is h. `length` is the longest t that will be asked for.
  ShiftInvertProjection(const Eigen::MatrixXd& H, double next, double pole, int border, double length);

  /// False when H is singular or e^{tS} overflows: nothing below may then be used.
  bool usable() const { return usable_; }
  /// e^{tS} y, 0 ≤ t ≤ length
  Eigen::VectorXd evolve(double t, const Eigen::VectorXd& y) const;
  /// max(1, ‖e^{sS}‖ for 0 ≤ s ≤ length) on the part without the border.
  double growth() const { return growth_; }
  /// ‖S‖_1
  double norm() const { return s_norm_; }

  /// What ‖u(t_i) − y(t_i)‖ can be at most, for each of `times`, or some number above `enough[i]` as soon as
  /// one of them is known to be larger. Rigorous, up to the sampling of a supremum, where A is dissipative.
  /// `accuracy` is the relative error of the products with X. Smoothed, ‖X(u(t_i) − y(t_i))‖ is bounded.
  std::vector<double> error_bounds(const Eigen::VectorXd& start, const std::vector<double>& times,
                                   const std::vector<double>& enough, double accuracy, bool smoothed) const;

 private:
  class Bounds;

  std::vector<double> frequencies(const std::vector<double>& times) const;
  bool phase_matters(double frequency, double t) const;
  void measure_growth(double length);

  Eigen::MatrixXd h_;
  double next_, pole_;
  int border_;
  bool usable_ = false;
  double s_norm_ = 0;
  double stage_ = 0;  // t of levels_[0]
  std::vector<Eigen::MatrixXd>
      levels_;             // e^{tS} − I for t = stage, 2 stage, 4 stage, …: slow modes keep their digits
  Eigen::MatrixXd s_;      // S
  Eigen::VectorXcd ritz_;  // eigenvalues of S without the border's zeros
  double abscissa_ = 0;    // max(0, Re of them)
  double growth_ = 1;
  double transient_ = 1;  // max_t ‖e^{tS}‖ e^{−t abscissa}, at least 1
};

}  // namespace stiffly
