// Tetrahedra with their strains as unknowns.
#pragma once

#include <Eigen/LU>

#include "stiffly/forces/element_strains.hpp"
#include "stiffly/forces/lame.hpp"
#include "stiffly/forces/strain6.hpp"
#include "stiffly/linalg/matrix3.hpp"

namespace stiffly {

/// F where the step begins and where it ends, and the strains there: Green's, or S − I with F = RS.
using TetrahedronPath = ElementPath<3, 6>;

/// B = sym(AᵀdF), D, and what turning the stress adds to the stiffness (no negative eigenvalues).
struct FrozenStrain {
  Eigen::Matrix3d directions = Eigen::Matrix3d::Zero();  ///< A
  Matrix6d stiffness = Matrix6d::Zero();                 ///< D
  Matrix9d geometric = Matrix9d::Zero();
};

/// What a material has to say in a mixed iteration, besides what HyperelasticMaterial asks for. With F̄ the
/// mean of F, the stress over a step is P = F̄Σ̄: its torque is nothing, as Σ̄ is symmetric, and its work is the
/// energy, P:ΔF = Δψ, for strains that belong to F.
template <class M>
concept MixedMaterial = requires(const M& material, const Eigen::Matrix3d& F, const TetrahedronPath& path) {
  { material.strain(F) } -> std::convertible_to<Vector6d>;
  { material.mean_stress(path) } -> std::convertible_to<Eigen::Matrix3d>;  ///< Σ̄
  { material.freeze(path) } -> std::convertible_to<FrozenStrain>;          ///< at the means of the path
};

/// P̄ = P(F̄) + c F̄ΔC,  c = 2(Δψ − P(F̄):ΔF)/‖ΔC‖²,  C = FᵀF: as 2F̄ᵀΔF is ΔC but for an antisymmetric part, its
/// work is the energy, P̄:ΔF = Δψ, and both terms are without torque. It is regular whatever F is. [Gonzalez
/// 2000] θ adds a stress that follows ΔC, and takes energy.
template <class Material>
Eigen::Matrix3d corrected_middle_stress(const Material& material, const TetrahedronPath& path) {
  constexpr double no_change = 1e-5;  // the correction is of third order
  const Eigen::Matrix3d F = path.mean(), dF = path.end - path.start,
                        dC = path.end.transpose() * path.end - path.start.transpose() * path.start;
  const Eigen::Matrix3d P = material.stress(F);
  Eigen::Matrix3d second = (path.theta - 0.5) * hooke(material.moduli, 0.5 * dC);
  if (dC.norm() > no_change)
    second += 2 * (material.energy(path.end) - material.energy(path.start) - P.cwiseProduct(dF).sum()) /
              dC.squaredNorm() * dC;
  return P + F * second;
}

template <MixedMaterial Material>
struct TetrahedronStrains {
  static constexpr int columns = 3, strains = 6;
  static constexpr bool has_rates = false;

  std::vector<Material> materials;  ///< one for all, or one for each
  std::vector<double> volumes;

  struct Frozen {
    Eigen::Matrix3d directions = Eigen::Matrix3d::Zero();
    Matrix6d stiffness = Matrix6d::Zero();

    Vector6d strain(const Eigen::Matrix3d& da, const Eigen::Matrix3d&) const {
      return to_strain(directions.transpose() * da);
    }
    Eigen::Matrix3d stress(const Vector6d& strain) const {
      return directions * from_stress(stiffness * strain);
    }
  };

  /// A volume of a fifth or less where the step begins, or none, or one that is inside out: averages of
  /// strains are then singular or nearly so, and strains of the end do not say which side is out. Such an
  /// element goes without strains as unknowns.
  static bool crushed(const TetrahedronPath& p) { return p.share < 1 && p.start.determinant() < 0.2; }
  const Material& material(std::size_t e) const { return materials[materials.size() == 1 ? 0 : e]; }
  Vector6d measure(std::size_t e, const TetrahedronPath& p) const { return material(e).strain(p.end); }
  Eigen::Matrix3d stress(std::size_t e, const TetrahedronPath& p) const {
    if (crushed(p)) return volumes[e] * corrected_middle_stress(material(e), p);
    return volumes[e] * p.mean() * material(e).mean_stress(p);
  }
  ElementTangent<3> freeze(std::size_t e, const TetrahedronPath& p, Frozen& frozen) const {
    const FrozenStrain at = material(e).freeze(p);
    frozen.directions = at.directions;
    if (crushed(p)) {
      frozen.stiffness.setZero();
      return {.stiffness = volumes[e] * p.share * positive_part(material(e).tangent(p.mean()))};
    }
    // Of the mean stress, `share` moves with the end, and what θ damps moves with it alone.
    frozen.stiffness = volumes[e] * (p.share + p.theta - 0.5) * at.stiffness;
    const Eigen::Matrix<double, 6, 9> B = strain_directions(at.directions);
    return {.stiffness = B.transpose() * frozen.stiffness * B + volumes[e] * p.share * at.geometric};
  }
};

}  // namespace stiffly
