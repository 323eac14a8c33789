// Seeded random problems for φ evaluators, and an oracle that shares no code with them.
#pragma once

#include <cstdint>
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiffly/phi/evaluator.hpp"

namespace stiffly::testing {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using MatrixXl = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using VectorXl = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// The same numbers on every machine (the distributions of <random> are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  double uniform(double low = 0, double high = 1) {
    return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
  }
  double normal();
  int integer(int low, int high) {
    return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  double power_of_ten(double low, double high);
  VectorXd vector(Index n);
  MatrixXd matrix(Index n);
  MatrixXd orthogonal(Index n);

 private:
  std::uint64_t bits() {
    std::uint64_t x = (state_ += 0x9e3779b97f4a7c15ULL);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

/// A matrix with its metric and what is known of its spectrum: cheap to ask, unlike DenseOperator.
class MatrixOperator final : public LinearOperator {
 public:
  MatrixXd matrix;
  std::optional<MatrixXd> metric;
  bool is_skew = false;
  std::optional<double> bound;
  mutable int products = 0;  ///< what really was multiplied, to check reports

  std::size_t size() const override { return static_cast<std::size_t>(matrix.rows()); }
  void apply(ConstVectorView x, VectorView y) const override;
  bool euclidean() const override { return !metric; }
  void apply_metric(ConstVectorView x, VectorView y) const override;
  bool skew() const override { return is_skew; }
  std::optional<double> spectral_bound() const override { return bound; }
  bool can_shift_invert() const override { return true; }
  std::unique_ptr<ShiftedInverse> shifted_inverse(double sigma,
                                                  std::unique_ptr<ShiftedInverse>) const override;
};

struct Case {
  std::string family;
  std::string label;
  MatrixOperator J;
  double step = 1;
  std::vector<Vector> b;  ///< an empty one is zero
  std::vector<double> nodes;
  PhiTolerance tolerance;
  VectorXd scaling;   ///< D: D⁻¹JD is well balanced, for the oracle
  double radius = 0;  ///< ‖D⁻¹JD‖, about the spectral radius in all families but the non-normal ones

  double h_rho() const { return step * nodes.back() * radius; }
};

/// Views as PhiProblem wants them.
std::vector<ConstVectorView> views(const std::vector<Vector>& b);

PhiResult evaluate(PhiEvaluator& evaluator, const Case& c);
VectorXl to_long(const Vector& x);
/// ‖x‖ in the metric of the case; long double holds the square of 1e-300.
long double norm(const Case& c, const VectorXl& x);

double spectral_norm(const MatrixXd& A);
// ---- the oracle ----

/// w(c_i) in long double by Taylor steps of length ‖hJ‖τ ≤ 4 on u' = hJu + Σ_j t^{j−1}/(j−1)! b_j, in
/// balanced coordinates: u^{(k+1)} = hJ u^{(k)} + g^{(k)}(t). Truncation is below 1e-22 a step, round-off
/// about 1e-19 a step: a relative error of some 1e-19·hρ·gain, 1e-7 of what any evaluator in double can
/// reach.
std::vector<VectorXl> oracle(const Case& c);

// ---- the families ----

struct Matrices {
  MatrixXd J;
  std::optional<MatrixXd> metric;
  bool skew = false;
};

MatrixXd skew_part(const MatrixXd& A);
/// Q diag([[0, ω], [−ω, 0]]) Qᵀ, exactly skew.
MatrixXd skew_with_frequencies(Random& random, Index n, const std::vector<double>& omega);

/// [[0, I], [−M⁻¹K, −M⁻¹C]] with the energy metric diag(K₀, M).
Matrices oscillator(const MatrixXd& K, const MatrixXd& C, const VectorXd& M, const MatrixXd& K0);

/// Stiffness with eigenvalues from 1 to κ.
MatrixXd stiffness(Random& random, Index m, double kappa);

inline constexpr const char* families[] = {"skew",      "oscillator", "damped",           "indefinite",
                                           "nonnormal", "bimodal",    "plain oscillator", "independent"};

/// `size` unknowns or one more or less; `kappa` is the ratio of stiffnesses (the square of that of
/// frequencies).
Matrices make_matrices(const std::string& family, Random& random, Index size, double kappa);

/// D and ‖D⁻¹JD‖: positions in units of velocity over the largest frequency.
void balance(Case& c, bool second_order);

Case make_case(std::uint64_t seed);
/// 320 cases with their solutions, made once per process.
struct Solved {
  Case problem;
  std::vector<VectorXl> solution;
};

const std::vector<Solved>& random_cases();
/// Largest of ‖w − w*‖/max(relative ‖w*‖, absolute) over the outputs: at most 1 if the promise was kept.
double error_over_tolerance(const Solved& s, const PhiResult& result);
/// The same for a case that is solved for it.
double miss(const Case& c, const PhiResult& result);

}  // namespace stiffly::testing
