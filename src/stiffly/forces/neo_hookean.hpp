// The stable neo-Hookean material.
#pragma once

#include "stiffly/forces/lame.hpp"
#include "stiffly/forces/tetrahedron_force.hpp"
#include "stiffly/forces/tetrahedron_strains.hpp"

namespace stiffly {

/// ψ = μ̂/2 (I_C − 3) + λ̂/2 (J − α)² − μ̂/2 log(I_C + 1) with I_C = ‖F‖², J = det F, less its value at rest:
/// finite and smooth for every F, inverted ones too. [Smith, de Goes, Kim 2018, eq. 14] μ̂ = 4μ/3 and λ̂ = λ +
/// 5μ/6 make it linear elasticity with μ and λ at rest (§3.4), α = 1 + 3μ̂/(4λ̂) makes the rest shape
/// stress-free.
struct NeoHookean {
  static constexpr const char* name = "stable neo-Hookean tetrahedra";
  Lame moduli;

  double energy(const Eigen::Matrix3d& F) const;
  Eigen::Matrix3d stress(const Eigen::Matrix3d& F) const;
  Matrix9d tangent(const Eigen::Matrix3d& F) const;

  Vector6d strain(const Eigen::Matrix3d& F) const;
  Eigen::Matrix3d mean_stress(const TetrahedronPath& path) const;
  FrozenStrain freeze(const TetrahedronPath& path) const;
};

using NeoHookeanTetrahedra = TetrahedronForce<NeoHookean>;

}  // namespace stiffly
