// Newton interpolation of the exponential at Leja points of the imaginary axis
// [Caliari, Kandolf, Ostermann & Rainer 2016].
#pragma once

#include <span>
#include <vector>

#include "stiffly/phi/stepping.hpp"

namespace stiffly {

struct LejaOptions {
  int max_products = 2'000'000;
};

/// Points 0, ±iξ_1, ±iξ_2, … in conjugate pairs, so that everything stays real.
class Leja final : public SteppingEvaluator {
 public:
  explicit Leja(const LejaOptions& options = {}) : SteppingEvaluator(options.max_products) {}
  std::string name() const override { return "leja"; }

 protected:
  double reach(double tolerance) const override;
  Substep advance(const CountedOperator& J, const AugmentedOperator& A, const AugmentedVector& u, double tau,
                  double z, PhiTolerance tolerance) override;

 private:
  double coefficients_for_ = -1;  // the γ of the coefficients at hand: substeps are mostly alike
  std::vector<double> coefficients_;
};

/// ξ_1, ξ_2, … in [0, 2]: ξ_k maximises |x Π_{j<k} (x² − ξ_j²)|. The capacity of i[−2, 2] is 1: Newton's
/// basis there neither grows nor decays.
std::span<const double> leja_points();

/// Coefficients of exp(γz) in the basis 1, z, z·z, z(z²+ξ_1²), z·z(z²+ξ_1²), …
std::vector<double> newton_coefficients(double gamma, std::size_t count);

}  // namespace stiffly
