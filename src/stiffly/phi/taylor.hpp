// Truncated Taylor series of the exponential with substeps [Al-Mohy & Higham 2011].
#pragma once

#include "stiffly/phi/stepping.hpp"

namespace stiffly {

struct TaylorOptions {
  int max_products = 2'000'000;
  int max_degree = 120;
};

/// exp(τÃ)u ≈ Σ_k t_k, t_k = (τÃ)^k u/k!, stopped as soon as the rest is small enough.
class Taylor final : public SteppingEvaluator {
 public:
  explicit Taylor(const TaylorOptions& options = {})
      : SteppingEvaluator(options.max_products), options_(options) {}
  std::string name() const override { return "taylor"; }

 protected:
  double reach(double tolerance) const override;
  Substep advance(const CountedOperator& J, const AugmentedOperator& A, const AugmentedVector& u, double tau,
                  double z, PhiTolerance tolerance) override;

 private:
  TaylorOptions options_;
};

}  // namespace stiffly
