// Drag of thin things in slow air.
#pragma once

#include <Eigen/Core>

#include "stiffly/system/force.hpp"

namespace stiffly {

/// f_i = −c_i (v_i − w) on the free particles, w the velocity of the air: viscous drag, which grows with the
/// speed itself as long as the Reynolds number is below about 1 (hair: 1 m/s and 0.1 mm give 6).
class AirDrag final : public Force {
 public:
  /// c_i (`coefficients`, N s/m) of all particles in the inner order. Throws InputError (naming the particle)
  /// unless they are finite and ≥ 0, and unless the wind is finite.
  AirDrag(std::vector<double> coefficients, const Eigen::Vector3d& wind);

  std::string name() const override { return "air drag"; }
  double energy(const Configuration&) const override { return 0; }
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t, std::vector<std::pair<int, int>>&) const override {}
  void attach(std::size_t free, const BlockPattern& pattern) override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;
  /// Σ c_i (v_i − w)·v_i: what wind brings in counts as below 0. Nothing acts on prescribed particles.
  ForcePower power(const Configuration& q) const override;
  bool keeps_spin() const override { return false; }
  bool drives() const override { return !wind_.isZero(0); }
  bool depends_on_velocity() const override { return true; }

  std::span<const double> coefficients() const { return coefficients_; }
  const Eigen::Vector3d& wind() const { return wind_; }

 private:
  std::vector<double> coefficients_;
  Eigen::Vector3d wind_;
  std::vector<std::int64_t> diagonal_;
};

}  // namespace stiffly
