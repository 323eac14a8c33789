// Damping in proportion to mass and stiffness.
#pragma once

#include "stiffly/system/force.hpp"

namespace stiffly {

/// f = −(αM + βK_0) v, with the stiffness K_0 at rest: a mode of frequency ω is damped by ζ = α/(2ω) + βω/2.
/// [Liu and Gorman 1995, cited in paper 000, §4.4] K_0 spans all particles, so that free ones are damped
/// relative to the prescribed ones they hang on. As K_0 does not turn with the body, β brakes fast large
/// rotations too.
class RayleighDamping final : public Force {
 public:
  /// `mass` of the free particles (needed where α > 0), `stiffness` of all particles, in the inner order.
  /// Throws InputError unless α, β ≥ 0 are finite.
  RayleighDamping(double alpha, double beta, MassMatrix mass, BlockMatrix stiffness);

  std::string name() const override { return "Rayleigh damping"; }
  double energy(const Configuration&) const override { return 0; }
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const override;
  void attach(std::size_t free, const BlockPattern& pattern) override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;
  ForcePower power(const Configuration& q) const override;
  bool keeps_spin() const override { return false; }
  bool depends_on_velocity() const override { return true; }

  double alpha() const { return alpha_; }
  double beta() const { return beta_; }

 private:
  double alpha_, beta_;
  MassMatrix mass_;
  BlockMatrix stiffness_;
  std::vector<std::int64_t>
      positions_;  ///< of each block of the free rows in the system's pattern, −1 if not free
};

/// The tangent stiffness of `forces` with all particles at `x` (inner order) and still, prescribed ones
/// included. Attaches the forces to a pattern of its own: call it before ParticleSystem::finish, which
/// attaches them again.
BlockMatrix stiffness_of_all_particles(std::span<Force* const> forces, std::span<const double> x);

}  // namespace stiffly
