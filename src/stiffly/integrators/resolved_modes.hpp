// Vibrations that a step follows exactly: a change of the inertia, of low rank.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// A step of the form
///   x⁺ − x = hΘ (v + v⁺)/2,   v⁺ − v = hΘ M⁻¹f̄
/// keeps the energy for every Θ that is self-adjoint with respect to M, as f̄ is a discrete gradient:
/// ½v⁺ᵀMv⁺ − ½vᵀMv = f̄ᵀ hΘ(v + v⁺)/2 = f̄·(x⁺ − x). On a mode of frequency ω it turns by the angle α with
///   Θ = tan(α/2)/(hω/2).
/// Θ = 1 is the midpoint rule, α = 2 atan(hω/2); with α = hω linear vibrations are exact. [locally exact
/// discrete gradients: Cieśliński 2013] Here
///   Θ = I + V(Θ(VᵀKV) − I)VᵀM,   VᵀMV = I,
/// with α = hω for modes of VᵀKV that have converged and whose hω is below a bound, and Θ = 1 for all others.
/// V is a rational Krylov space of S⁻¹M, S = M + hC/2 + h²K/4 being the matrix of the midpoint rule, whose
/// factor is there anyway. Θ is self-adjoint whatever V is: how well vibrations are represented does not
/// concern the energy.
///
/// With x⁺ = x + hv + h²z/2 and F = Θ⁻¹ in V, F² being nothing but inertia, a step is the solution of
///   M(z + V[(F² − I)VᵀMz + (2/h)(F² − F)VᵀMv]) = f̄,   v⁺ = v + hz + V(F − I)VᵀM(2v + hz),
/// whose matrix is S plus one of low rank. F is finite but where hω = 2π, 4π, …
class ResolvedModes {
 public:
  /// `largest_angle` bounds the hω that are followed.
  explicit ResolvedModes(double largest_angle);

  /// y ← S⁻¹r, S = M + hC/2 + h²K/4
  using Solve = std::function<void(ConstVectorView r, VectorView y)>;
  /// What a step is made with; it must outlive the use until the next one.
  struct Setting {
    const MassMatrix* mass = nullptr;
    const BlockMatrix* half_stiffness = nullptr;  ///< K/2
    double h = 0;
    Solve solve = {};
  };
  /// A new S and K: the space begins anew.
  void begin(Setting setting);
  /// Fills the space until it holds what velocities v and forces f set in motion.
  void cover(ConstVectorView v, ConstVectorView f);

  /// y ← y + MV[(F² − I)VᵀMz + (2/h)(F² − F)VᵀMv]
  void add_inertia(ConstVectorView z, ConstVectorView v, VectorView y) const;
  /// S⁻¹r → (S + MV(F² − I)VᵀM)⁻¹r  [Woodbury]
  void correct(VectorView y) const;
  /// v + hz → v⁺
  void finish(ConstVectorView v, ConstVectorView z, VectorView end) const;

  /// Vectors in the space.
  int size() const { return static_cast<int>(basis_.size()); }

 private:
  /// Makes x a vector of the basis unless it is in the space already.
  void adopt(Vector x);
  /// All directions: of a small system nothing is left out.
  void take_everything();
  /// Frequencies of the space, and what follows from them.
  void resolve();
  /// ‖S⁻¹Mφ − σφ‖/σ of a mode φ = V·`mode`, σ its eigenvalue
  double residual(const Eigen::VectorXd& mode) const;
  /// Velocity in vibrations that should be followed and are not, of all, after a step that begins with VᵀMv
  /// and Vᵀf.
  double neglected(const Eigen::VectorXd& v, const Eigen::VectorXd& f) const;
  Eigen::VectorXd project(ConstVectorView x) const;  ///< Vᵀx
  /// VᵀMx
  Eigen::VectorXd coordinates(ConstVectorView x) const;

  double largest_angle_;
  Setting setting_;
  std::vector<Vector> basis_;                       // V
  std::vector<Vector> solved_;                      // S⁻¹MV
  Eigen::MatrixXd stiffness_;                       // VᵀKV
  Eigen::MatrixXd compliance_;                      // VᵀM S⁻¹ MV
  Eigen::MatrixXd squared_;                         // (S⁻¹MV)ᵀM S⁻¹MV
  Eigen::Array<bool, Eigen::Dynamic, 1> followed_;  // modes that have converged, and are slow enough
  Eigen::VectorXd angles_;                          // hω
  Eigen::MatrixXd modes_;                           // eigenvectors of VᵀKV
  Eigen::MatrixXd F_, correction_;
  mutable Vector work_, sum_;
};

}  // namespace stiffly
