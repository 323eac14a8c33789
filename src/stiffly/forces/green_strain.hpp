// Materials that depend on Green's strain, in mixed iterations.
#pragma once

#include "stiffly/forces/tetrahedron_strains.hpp"

namespace stiffly {

/// E = ½(FᵀF − I)
inline Eigen::Matrix3d green_strain(const Eigen::Matrix3d& F) {
  return 0.5 * (F.transpose() * F - Eigen::Matrix3d::Identity());
}

/// With D at the mean strain and Σ̄: ∂E = sym(FᵀdF), where F is that of the mean strain, turned as F̄ is; the
/// means of turned F are too short. Tension turns with the element, which dF Σ̄ says.
FrozenStrain freeze_green_strain(const TetrahedronPath& path, const Matrix6d& stiffness,
                                 const Eigen::Matrix3d& mean_stress);

}  // namespace stiffly
