// J = [[0, I], [−M⁻¹K, −M⁻¹C]] in the variables y = (x, v), with the energy inner product.
#pragma once

#include "stiffly/linalg/linear_operator.hpp"
#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// The linearised oscillators. In the inner product ⟨y,ŷ⟩ = xᵀ(K+σM)x̂ + vᵀMv̂ undamped motion is skew up to
/// the shift: this is the reformulation with u = (√A x, v) of papers 000 §3.1 and 002 §2, without the root.
///
/// σ makes the metric definite where K alone is not (free bodies, compressed springs). It lets norms grow by
/// at most exp(½√σ t), so √σ should be a fraction of 1/h: `metric_shift` is √σ. If K turns out to be more
/// indefinite than σM can cover, norms come out imaginary and evaluators throw IndefiniteMetric.
///
/// Holds references: mass and tangent must outlive it.
class OscillatorJacobian final : public LinearOperator {
 public:
  OscillatorJacobian(const MassMatrix& mass, const Tangent& tangent, double metric_shift,
                     WorkMeter& counters);

  std::size_t size() const override { return 2 * n_; }
  const Backend& backend() const override { return mass_->backend(); }
  void apply(ConstVectorView y, VectorView Jy) const override;
  bool euclidean() const override { return false; }
  void apply_metric(ConstVectorView y, VectorView Gy) const override;
  void apply_both(ConstVectorView y, VectorView Jy, VectorView Gy) const override;
  /// Whether the energy is kept and bounds the state: up to a factor near one while √σ h is small.
  bool skew() const override {
    return tangent_->damping.empty() && tangent_->circulatory.empty() && !unstable_;
  }
  /// From a short Lanczos run with its residual added [Zhou & Li 2011]; a few products, made once.
  std::optional<double> spectral_bound() const override;
  bool can_shift_invert() const override { return true; }
  std::unique_ptr<ShiftedInverse> shifted_inverse(double sigma,
                                                  std::unique_ptr<ShiftedInverse> previous) const override;

  const MassMatrix& mass() const { return *mass_; }
  const Tangent& tangent() const { return *tangent_; }
  WorkMeter& counters() const { return *counters_; }
  double metric_shift() const { return metric_shift_; }
  /// A larger shift, for a tangent with directions of negative stiffness: the metric covers them, but motion
  /// along them grows, so this is no skew matrix any more.
  void cover_negative_stiffness(double shift) {
    metric_shift_ = shift;
    unstable_ = true;
  }

 private:
  /// Kx ← K x, counted.
  void stiffness(ConstVectorView x, VectorView Kx) const;
  void rate_from(ConstVectorView y, ConstVectorView Kx, VectorView Jy) const;
  void metric_from(ConstVectorView y, ConstVectorView Kx, VectorView Gy) const;

  const MassMatrix* mass_;
  const Tangent* tangent_;
  double metric_shift_;
  bool unstable_ = false;
  WorkMeter* counters_;
  std::size_t n_;
  mutable Vector Kx_, work_;
  mutable std::optional<double> spectral_bound_;
};

}  // namespace stiffly
