// w(c) as one exponential: exp(c Ã) applied to (b_0, e_p), with Ã = [[hJ, B], [0, N]] [Al-Mohy & Higham
// 2011].
#pragma once

#include <span>
#include <vector>

#include "stiffly/linalg/linear_operator.hpp"

namespace stiffly {

/// An element of the augmented space: a large vector and p small entries, kept alike on every rank.
struct AugmentedVector {
  Vector large;
  std::vector<double> small;
};

/// Ã = [[hJ, B], [0, N]], B = (b_p, …, b_1)/η, N the shift matrix. With the start (b_0, η e_p) the large part
/// of exp(c Ã) start is w(c) for every c, since the small part is then η(t^{p−1}/(p−1)!, …, t, 1).
/// η, a power of two near max‖b_j‖, keeps the two parts of like size.
class AugmentedOperator {
 public:
  /// `b` holds b_0 … b_p; empty views are zero. The views must outlive this object.
  AugmentedOperator(const LinearOperator& jacobian, double step, std::span<const ConstVectorView> b);

  std::size_t p() const { return p_; }
  const LinearOperator& jacobian() const { return *jacobian_; }
  AugmentedVector zero() const;
  AugmentedVector start() const;
  /// The exact state at time c, given w(c) — only the small part is set.
  std::vector<double> small_part(double c) const;
  /// y ← Ã x
  void apply(const AugmentedVector& x, AugmentedVector& y) const;

 private:
  const LinearOperator* jacobian_;
  double step_;
  std::size_t p_;
  double eta_;
  std::vector<ConstVectorView> b_;
};

void axpby(double a, const AugmentedVector& x, double b, AugmentedVector& y);
double norm(const AugmentedVector& x);

}  // namespace stiffly
