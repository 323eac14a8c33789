// A field that is the same everywhere in space and may change in time.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "stiffly/system/force.hpp"

namespace stiffly {

/// f_i = c_i g(t), energy −Σ c_i g(t)·x_i over the free particles. With masses as c_i, g is an acceleration;
/// with ones, a force on each particle. Where g jumps, steps should end there.
class ForceField : public Force {
 public:
  using Strength = std::function<Eigen::Vector3d(double t)>;

  /// c_i (`charges`) of all particles.
  ForceField(const Eigen::Vector3d& strength, std::vector<double> charges)
      : strength_([strength](double) { return strength; }), charges_(std::move(charges)) {}
  ForceField(Strength strength, std::vector<double> charges)
      : strength_(std::move(strength)), charges_(std::move(charges)), varies_(true) {}

  std::string name() const override { return "field"; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t, std::vector<std::pair<int, int>>&) const override {}
  void attach(std::size_t, const BlockPattern&) override {}
  void add_tangent(const Configuration&, Tangent&) const override {}
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;
  /// On a particle, N.
  Eigen::Vector3d on(std::size_t particle, double t) const { return charges_[particle] * strength_(t); }
  bool depends_on_time() const override { return varies_; }
  void add_drives(double t, std::vector<double>& out) const override {
    if (!varies_) return;
    const Eigen::Vector3d now = strength_(t);
    out.insert(out.end(), now.begin(), now.end());
  }
  bool is_field() const override { return true; }
  bool keeps_spin() const override { return false; }

 protected:
  /// With other charges.
  virtual std::unique_ptr<Force> with(std::vector<double> charges) const {
    auto out = std::make_unique<ForceField>(*this);
    out->charges_ = std::move(charges);
    return out;
  }

 private:
  Strength strength_;
  std::vector<double> charges_;
  bool varies_ = false;
};

}  // namespace stiffly
