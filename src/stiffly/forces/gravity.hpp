// A uniform field of acceleration.
#pragma once

#include <Eigen/Core>

#include "stiffly/forces/force.hpp"

namespace stiffly {

/// f_i = m_i g, energy −Σ m_i g·x_i over the free particles.
class Gravity final : public Force {
 public:
  /// `masses` of all particles.
  Gravity(Eigen::Vector3d acceleration, std::vector<double> masses)
      : acceleration_(std::move(acceleration)), masses_(std::move(masses)) {}

  std::string name() const override { return "gravity"; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t, std::vector<std::pair<int, int>>&) const override {}
  void attach(std::size_t, const BlockPattern&) override {}
  void add_tangent(const Configuration&, Tangent&) const override {}

 private:
  Eigen::Vector3d acceleration_;
  std::vector<double> masses_;
};

}  // namespace stiffly
