// Wind on surfaces of triangles.
#pragma once

#include "stiffly/forces/element_assembly.hpp"
#include "stiffly/system/elements.hpp"

namespace stiffly {

/// A mean wind with gusts: w(t, x) = W + γ|W| Σ a_m sin(k_m·x − ω_m t + φ_m), a fixed set of waves with
/// incommensurable lengths and periods. It repeats nowhere, is smooth, the same in every run, and free of
/// divergence (a_m ⊥ k_m).
struct Wind {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();  ///< W, m/s
  double gusts = 0;                                ///< γ: root mean square of the gusts over |W|
  double gust_length = 1;                          ///< longest wave, m
  double gust_period = 1;                          ///< longest period, s

  /// w
  Eigen::Vector3d velocity(double t, const Eigen::Vector3d& x) const;
  /// ∂w/∂x
  Eigen::Matrix3d gradient(double t, const Eigen::Vector3d& x) const;
};

enum class WindLaw {
  quadratic,  ///< p = c u_n|u_n|, with c = ½ρC_D in kg/m³ (0.6 for air and C_D = 1): pressure of a stream on
              ///< a plate
  linear,  ///< p = c u_n, with c in Pa s/m: the viscous stream of [Provot 1995, §2.3]
};

/// Pressure on each triangle from the normal part u_n = n·u of the air's velocity relative to its centre,
/// F = A p(u_n) n, a third to each corner; both sides are alike. [Ling, Damodaran, Gay 1996]
/// Has no energy; ∂f/∂v is symmetric, ∂f/∂x is not, as pressures follow the surface.
class WindForce final : public ElementForce {
 public:
  /// `particles` counts all of them. Throws InputError on corners that are no particles (naming the
  /// triangle), on a coefficient that is not finite and ≥ 0, on gusts that are not, and on lengths or periods
  /// that are not > 0.
  WindForce(std::span<const Triangle> triangles, std::size_t particles, Wind wind, WindLaw law,
            double coefficient);

  std::string name() const override { return "wind"; }
  double energy(const Configuration&) const override { return 0; }
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;
  ForcePower power(const Configuration& q) const override;
  bool keeps_spin() const override { return false; }
  double effort_per_pair() const override { return 3 * effort::pair; }
  bool depends_on_velocity() const override { return true; }
  bool drives() const override { return !wind_.mean.isZero(0); }
  bool depends_on_time() const override { return wind_.gusts > 0; }
  bool circulatory() const override { return true; }

 private:
  struct Stream;
  Stream stream(std::size_t triangle, const Configuration& q) const;
  /// On each corner.
  Eigen::Matrix3d forces(std::size_t triangle, const Configuration& q) const;

  Wind wind_;
  WindLaw law_;
  double coefficient_;
};

}  // namespace stiffly
