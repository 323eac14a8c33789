// Chebyshev series of the exponential, for conservative systems [Tal-Ezer & Kosloff 1984].
//
//   exp(cÃ)u = J_0(cz) q_0 + 2 Σ_k J_k(cz) q_k,   q_0 = u,  q_1 = Ãu/z,  q_{k+1} = (2/z) Ãq_k + q_{k−1},
//
// where z ≥ hρ: the q_k are i^k T_k(−iÃ/z)u. All outputs share the q_k; only the Bessel factors differ.
#pragma once

#include <vector>

#include "stiffly/phi/evaluator.hpp"

namespace stiffly {

struct ChebyshevOptions {
  int max_products = 2'000'000;
  double longest = 1e4;  ///< largest z of one series; longer ones are split
};

/// Needs a matrix that is skew in its inner product; refuses others. No inner products in the loop but for an
/// occasional look at ‖q_k‖, which shows a bound on the spectrum that was too small.
class Chebyshev final : public EstimatingEvaluator {
 public:
  explicit Chebyshev(const ChebyshevOptions& options = {}) : options_(options) {}
  std::string name() const override { return "chebyshev"; }

 protected:
  PhiResult attempt(const Task& task) override;

 private:
  ChebyshevOptions options_;
};

/// J_0(z) … J_n(z) for z ≥ 0.
std::vector<double> bessel_j(double z, int n);

}  // namespace stiffly
