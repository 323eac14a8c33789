// A constant uniform field of acceleration.
#pragma once

#include "stiffly/forces/force_field.hpp"

namespace stiffly {

/// f_i = m_i g, energy −Σ m_i g·x_i over the free particles.
class Gravity final : public ForceField {
 public:
  /// `masses` of all particles.
  Gravity(const Eigen::Vector3d& acceleration, std::vector<double> masses)
      : ForceField(acceleration, std::move(masses)) {}

  std::string name() const override { return "gravity"; }
  bool keeps_spin() const override { return true; }
};

}  // namespace stiffly
