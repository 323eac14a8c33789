// A viscous fluid around the particles, which moves with them.
#pragma once

#include <optional>

#include "stiffly/forces/stokeslets.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/system/force.hpp"

namespace stiffly {

/// Particles in a fluid without inertia that sticks to them: the forces g that they exert on it make it go as
/// fast as they do,
///   v = w + G(x) g,  and so  f = −G(x)⁻¹ (v − w),
/// w the fluid's own velocity and G that of regularised Stokeslets: each particle feels the flow of all
/// others [Cortez 2001]. Tangents are C = G⁻¹ and, with B = (∂G/∂x) g, K = −G⁻¹B.
class Fluid final : public Force {
 public:
  /// G is dense: as many particles are served, and no more.
  static constexpr std::size_t most_particles = 1000;
  /// Of the size of a blob: particles closer to each other than this are at one place.
  static constexpr double least_distance = 1e-4;

  /// Throws InputError where there are too many particles, with their number, or w is not finite.
  Fluid(const Stokeslets& stokeslets, const Eigen::Vector3d& velocity, std::size_t particles);

  std::string name() const override { return "fluid"; }
  double energy(const Configuration&) const override { return 0; }
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const override;
  void attach(std::size_t free, const BlockPattern& pattern) override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  ForcePower power(const Configuration& q) const override;
  bool keeps_spin() const override { return false; }
  bool drives() const override { return !velocity_.isZero(0); }
  double effort_per_pair() const override;
  bool depends_on_velocity() const override { return true; }
  bool circulatory() const override { return true; }

  const Stokeslets& stokeslets() const { return stokeslets_; }
  /// g: what all particles exert on the fluid.
  Eigen::VectorXd forces_on_fluid(const Configuration& q) const;

 private:
  const DenseCholesky& factor(std::span<const double> x) const;

  Stokeslets stokeslets_;
  Eigen::Vector3d velocity_;
  std::size_t particles_;
  std::vector<std::int64_t> rows_;  ///< where the block rows begin, which are full
  /// Of G at the positions it was last asked for: a force, its tangent and its power ask in turn.
  mutable std::optional<DenseCholesky> factor_;
  mutable std::vector<double> factor_x_;
};

/// Two of the points (three numbers each) that are nearest to each other.
struct NearestPoints {
  std::size_t first = 0, second = 0;
  double distance = 0;
};
NearestPoints nearest_points(std::span<const double> x);

}  // namespace stiffly
