// What a polynomial evaluator has to know of a matrix before it starts: how far its spectrum reaches, how
// fast its powers grow, and how strongly its inner product magnifies round-off.
#pragma once

#include <cstdint>
#include <string>

#include "stiffly/linalg/linear_operator.hpp"

namespace stiffly {

/// An operator that counts its products and refuses (PhiRefusal) beyond a number of them. While `track` is
/// on, every product also leaves the norm of its argument behind, at no further product.
class CountedOperator final : public LinearOperator {
 public:
  CountedOperator(const LinearOperator& inner, std::string evaluator, int max_products);

  std::size_t size() const override { return inner_.size(); }
  const Backend& backend() const override { return inner_.backend(); }
  void apply(ConstVectorView x, VectorView y) const override;
  bool euclidean() const override { return euclidean_; }
  void apply_metric(ConstVectorView x, VectorView y) const override;
  void apply_both(ConstVectorView x, VectorView Ax, VectorView Gx) const override;
  bool skew() const override { return skew_; }
  std::optional<double> spectral_bound() const override { return inner_.spectral_bound(); }

  void track(bool on) const { tracking_ = on; }
  /// ‖x‖ of the last tracked product with x.
  double argument_norm() const { return argument_norm_; }
  double norm_of(ConstVectorView x) const;
  /// s ∘ x with random signs s: what round-off in the entries of x looks like, but for a factor ε.
  Vector noise(ConstVectorView x) const;
  /// ‖s ∘ x‖/‖x‖, at least 1: how much the operator's norm magnifies round-off in the entries of x. 1 in the
  /// Euclidean norm; up to √cond(K) in the energy norm of smooth displacements.
  double roundoff_gain(ConstVectorView x, double norm_of_x) const;
  int products() const { return products_; }

 private:
  void count() const;
  const LinearOperator& inner_;
  std::string evaluator_;
  int max_products_;
  bool euclidean_, skew_;
  mutable int products_ = 0;
  mutable bool tracking_ = false;
  mutable double argument_norm_ = 0;
  mutable Vector work_, signs_;
};

/// Reach of a spectrum and growth of powers, all in the operator's norm.
struct Spectrum {
  double radius = 0;  ///< |λ| of the outermost eigenvalue
  double rate = 0;  ///< max(‖A²‖^{1/2}, ‖A³‖^{1/3}): powers grow no faster for long; radius ≤ rate ≤ ‖A‖
  double abscissa = 0;  ///< largest Re⟨x,Ax⟩/⟨x,x⟩: ‖exp(tA)‖ ≤ exp(t·abscissa)
};

/// The operator's own bound where it is skew and has one; otherwise from `steps` Arnoldi steps at most, each
/// one product, with a margin that shrinks as the Ritz values settle.
Spectrum estimate_spectrum(const LinearOperator& a, int steps = 32);

/// ±1 in every entry, the same for the same seed.
Vector random_signs(std::size_t n, const Backend& backend, std::uint64_t seed = 1);

}  // namespace stiffly
