// M x'' + C x' + K x = f(t) with constant dense matrices, and the test equations of paper 004 as instances.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// Small linear oscillators with analytic solutions.
class LinearOscillator final : public SecondOrderSystem {
 public:
  using Load = std::function<Eigen::VectorXd(double t)>;
  LinearOscillator(const Eigen::MatrixXd& mass, Eigen::MatrixXd stiffness, Eigen::MatrixXd damping,
                   Load load = {});

  std::size_t unknowns() const override { return static_cast<std::size_t>(stiffness_.rows()); }
  const MassMatrix& mass() const override { return mass_; }
  /// ½xᵀKx − f·x
  double potential_energy(double t, ConstVectorView x) const override;
  double field_energy(double t, ConstVectorView x) const override;
  std::vector<std::string> dissipators() const override;
  EnergyFlow energy_flow(const State& state) const override;
  bool autonomous() const override { return constant_load_; }
  /// Negative damping feeds it.
  bool passive() const override;
  bool conservative() const override { return damping_.isZero(0); }
  /// A load that does not change with time.
  LinearOscillator& with_constant_load(Eigen::VectorXd load);

 protected:
  void do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const override;
  void do_tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const override;

 private:
  Eigen::MatrixXd stiffness_, damping_;
  MassMatrix mass_;
  Load load_;
  bool constant_load_;
  std::shared_ptr<const BlockPattern> pattern_;
};

/// An initial value problem with its exact solution (x, v)(t).
struct TestEquation {
  std::string name;
  std::unique_ptr<SecondOrderSystem> system;
  State start;
  double duration;
  std::function<Eigen::VectorXd(double t)> exact;  ///< y = (x, v)
};

/// y' = λy, y(0) = 1 as x'' = λx' with x = y/λ, v = y (paper 004, example 1: λ = 2 and −15, t ∈ [0, 1]).
TestEquation dahlquist(double lambda);
/// y'' = λ/2 y + λy', λ = −5, y(0) = 0, y'(0) = 1, t ∈ [0, 10] (example 2).
TestEquation overdamped();
/// z'' = k(l_0 − z)/m − d/m z' + g with m = 0.1, k = 100, l_0 = −1, d = 1, g = −10, z(0) = −1, z'(0) = −5, t
/// ∈ [0, 2] (example 3).
TestEquation damped_spring();
/// y'' = −5y, y(0) = 0, y'(0) = 1, t ∈ [0, 10] (fig. 7; the paper gives no start values).
TestEquation wave();

}  // namespace stiffly
