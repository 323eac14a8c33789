// The projected problem of a Krylov evaluator: a few hundred unknowns, solved along the whole substep.
#pragma once

#include <algorithm>
#include <Eigen/Core>
#include <vector>

#include "stiffly/limits.hpp"
#include "stiffly/phi/arnoldi.hpp"

namespace stiffly {

/// F(s) = s^p φ_p(s hH) e_1, the solution of F' = hH F + s^{p−1}/(p−1)! e_1 (for p = 0: of F' = hH F, F(0) =
/// e_1).
///
/// With it y(s) = β V_m F(s) solves y' = hA y + s^{p−1}/(p−1)! βv_1 up to the residual
///   r(s) = β h h_{m+1,m} F_m(s) v_{m+1},
/// so that ‖error at s‖ ≤ β ∫_0^s ‖e^{(s−σ)hA}‖ |h h_{m+1,m} F_m(σ)| dσ [Botchev, Grimm & Hochbruck 2013].
/// Unlike the classical estimate β|h h_{m+1,m} e_mᵀ s φ_{p+1} e_1|, which is the same integral without the
/// modulus, this can not be small by chance where F_m oscillates: before the basis has resolved the matrix.
/// As F is followed in small stages, the error of every shorter substep comes along for nothing, and τ need
/// not be guessed.
class ProjectedSolution {
 public:
  /// Follows F from 0 to `length`, or until the residual integral exceeds `enough`. ‖e^{σhA}‖ is taken as
  /// e^{ασ} in the integrals, with α = `exponent`. Throws PhiRefusal beyond the deadline, a time of
  /// effort_seconds().
  void follow(const Arnoldi& krylov, int p, double step, double length, double exponent, double enough,
              double deadline = infinite);

  /// About |λ| at most: how fast F can change. ‖hH‖, or less where the matrix is far from normal.
  double frequency() const { return frequency_; }
  int stages() const { return static_cast<int>(residual_.size()) - 1; }
  double time(int k) const { return k * stage_; }
  /// ∫_0^s e^{α(s−σ)} |h h_{m+1,m} F_m| dσ at s = time(k), from above
  double residual(int k) const { return residual_[static_cast<std::size_t>(k)]; }
  /// F(time(k))
  auto solution(int k) const { return states_[static_cast<std::size_t>(k)].head(m_); }
  /// The residual integral for any s that was reached, rounded up to a stage.
  double residual_at(double s) const;
  /// ∫_0^s e^{α(s−σ)} ‖F‖ dσ at the end of the stage that holds s: what round-off in the basis is multiplied
  /// with
  double size_integral_at(double s) const;
  /// (F(s), ∫_0^s h h_{m+1,m} F_m): the coefficients of v_1 … v_{m+1} in the corrected solution.
  Eigen::VectorXd at(double s) const;

 private:
  bool advance(Eigen::VectorXd& y, double time) const;
  double power_growth() const;
  void multiply(const Eigen::VectorXd& y, Eigen::VectorXd& out) const;
  int stage_of(double s) const;

  Eigen::MatrixXd diagonals_;  // of hH, (m+1) × m: column d has its entries (i, i + d − 1)
  int m_ = 0, band_ = 0, p_ = 0;
  double stage_ = 0, frequency_ = 0;
  std::vector<double> residual_, size_integral_;
  std::vector<Eigen::VectorXd> states_;  // (F, integral of the last row, s^{p−1}/(p−1)!, …, s, 1)
};

/// Bounds of ‖e^{σhA}‖: how an error made σ earlier has been magnified.
///
/// Measured on compressions of A to a few dozen dimensions, at σ = end/2^i: with A(σ) the largest value up to
/// σ and B(σ) the largest from σ on, both are bounds. (The product of the norms of all substeps would count a
/// transient, such as an ellipse of phase space seen in the wrong norm, again and again.)
class Magnification {
 public:
  void observe(const Eigen::MatrixXd& hA, double end);
  double operator()(double sigma) const;
  /// A(σ) ≤ transient e^{exponent σ}
  double transient() const { return transient_; }
  double exponent() const { return exponent_; }

 private:
  double up_to(double sigma) const;  // A(σ) ≥ 1

  std::vector<double> times_, norms_;  // descending times; empty: no growth
  double transient_ = 1, exponent_ = 0;
};

/// The errors made along a sequence of substeps, and the size they are measured against:
///   E(c) = Σ_k ‖e^{(c−t_k)hA}‖ e_k,   N_{k+1} = max(min(1, ‖e^{s hA}‖) N_k, ‖u_{k+1}‖).
/// Each substep may spend its share s/end of max(relative·N, absolute).
class ErrorAccount {
 public:
  /// `conservative`: e^{σhA} is known to be an isometry, there is nothing to be measured.
  ErrorAccount(bool conservative, double relative, double absolute, double end)
      : conservative_(conservative), relative_(relative), absolute_(absolute), end_(end) {}

  /// The norm of the start value.
  void start(double norm) { size_ = norm; }
  double budget(double s, double size) const;
  double size() const { return size_; }
  double size_after(double s) const { return size_ * std::min(1.0, magnification_(s)); }
  /// Number of basis vectors that observe() needs.
  int keep() const { return conservative_ ? 0 : 33; }
  /// Measures the growth on the present basis: at the first substeps, then now and then.
  void observe(const Arnoldi& krylov, double step);
  /// ‖e^{σhA}‖ ≤ transient e^{exponent σ}
  double transient() const { return magnification_.transient(); }
  double exponent() const { return magnification_.exponent(); }
  /// Ends a substep of length s at time t with an error `local` and a result of norm `norm`.
  void close(double t, double s, double local, double norm);
  /// E(c), from the substeps closed so far.
  double error_at(double c) const;

 private:
  struct Entry {
    double time, error;
  };
  bool conservative_;
  double relative_, absolute_, end_;
  double size_ = 0;
  Magnification magnification_;
  std::vector<Entry> entries_;
};

}  // namespace stiffly
