// The variational implicit–explicit method: stiff linear forces by the midpoint rule, the rest by kicks.
#pragma once

#include "stiffly/integrators/acceleration_cache.hpp"
#include "stiffly/integrators/integrator.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"

namespace stiffly {

/// With f(x) = −K_0 x + g(x): half a kick by g, the implicit midpoint rule for −K_0 x, half a kick by g.
/// Eliminating v,
///   (M + ¼h²K_0)(x_{n+1} − 2x_n + x_{n−1}) = h² f(x_n)   [Stern & Grinspun 2009].
/// One factorisation serves all steps of one size. Damping and driving forces are in g, at predicted
/// velocities.
class VImex final : public Integrator {
 public:
  explicit VImex(const IntegratorOptions&) {}
  static IntegratorTraits info();
  const IntegratorTraits& traits() const override;
  void start(const SecondOrderSystem& system, const State& state) override;
  Step step(const State& from, double h, bool want_error) override;
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;

 private:
  void linearize(const State& at);
  /// a ← M⁻¹g = M⁻¹(f + K_0 x)
  void slow_acceleration(double t, ConstVectorView x, ConstVectorView v, Vector& a);

  const SecondOrderSystem* system_ = nullptr;
  State linearized_at_;
  Tangent linear_;
  AccelerationCache acceleration_;
  SparseCholesky factor_;
  double factor_step_ = 0;
  Vector a_, work_, predicted_;
};

}  // namespace stiffly
