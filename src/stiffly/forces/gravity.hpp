// A constant uniform field of acceleration.
#pragma once

#include "stiffly/forces/force_field.hpp"

namespace stiffly {

/// f_i = m_i g, energy −Σ m_i g·x_i over the free particles.
class Gravity final : public ForceField {
 public:
  /// `masses` of all particles.
  Gravity(const Eigen::Vector3d& acceleration, std::vector<double> masses)
      : ForceField(acceleration, std::move(masses)), acceleration_(acceleration) {}

  std::string name() const override { return "gravity"; }
  bool keeps_spin() const override { return true; }

 protected:
  std::unique_ptr<Force> with(std::vector<double> masses) const override {
    return std::make_unique<Gravity>(acceleration_, std::move(masses));
  }

 private:
  Eigen::Vector3d acceleration_;
};

}  // namespace stiffly
