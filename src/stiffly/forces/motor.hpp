// A motor: turns some particles against others.
#pragma once

#include <functional>

#include "stiffly/forces/element_assembly.hpp"

namespace stiffly {

/// The torque T = τ(t) a on the rotor and −T on the stator, about the axis a from the centre of the stator's
/// particles to that of the rotor's. On each side f_i = ω × r_i, with r_i the way from the side's centre and
/// Jω = ±T, J = Σ (|r|² I − r rᵀ): the forces of least squares that have this torque. So force and torque on
/// both sides together are nothing. It has no energy: what it brings in is τ times the rate at which the two
/// sides turn against each other.
class Motor final : public ElementForce {
 public:
  using Torque = std::function<double(double t)>;

  /// `particles` counts all of them; both sides are in the inner order. τ in N m; `varies`: with time.
  /// Throws InputError where a side has less than three particles, or a particle is not there or in both.
  Motor(std::vector<int> rotor, const std::vector<int>& stator, std::size_t particles, Torque torque,
        bool varies);

  std::string name() const override { return "motor"; }
  double energy(const Configuration&) const override { return 0; }
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  ForcePower power(const Configuration& q) const override;
  bool has_power() const override { return true; }
  bool drives() const override { return true; }
  bool depends_on_time() const override { return varies_; }
  void add_drives(double t, std::vector<double>& out) const override {
    if (varies_) out.push_back(torque_(t));
  }
  bool circulatory() const override { return true; }

 private:
  struct Side;
  struct Sides;
  Sides sides(const Configuration& q) const;
  /// On each particle, the rotor's first.
  Eigen::Matrix3Xd forces(const Configuration& q) const;

  Eigen::Index rotor_;  ///< how many particles it has
  Torque torque_;
  bool varies_;
};

}  // namespace stiffly
