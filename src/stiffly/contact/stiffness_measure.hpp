// How a body gives way to what pushes it, its stiffness included.
#pragma once

#include "stiffly/contact/contact_sweeps.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"
#include "stiffly/system/mixed_force.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

/// A = M + hC + h²K, by a factor that is kept while steps are as long and the bodies have moved little: any
/// such A is a measure, and an older one does as well but for what has turned since.
class StiffnessMeasure final : public ImpulseResponse {
 public:
  /// The system must outlive it.
  explicit StiffnessMeasure(const ParticleSystem& system) : system_(system) {}

  /// Of a step of h that ends there. Throws SimulationError where there is no factor.
  void factorize(const State& end, double h);
  /// All bodies as one.
  int body_of(int /*particle*/) const override { return 0; }
  std::vector<ImpulseColumn> columns(std::span<const ParticleShare> shares) override;
  /// Factors made so far.
  long factors() const { return factors_; }

 private:
  bool serves(std::span<const double> x, double h) const;

  const ParticleSystem& system_;
  std::unique_ptr<MixedForce> force_;
  SparseCholesky factor_;
  double h_ = 0;
  std::vector<double> made_at_;
  long factors_ = 0;
};

}  // namespace stiffly
