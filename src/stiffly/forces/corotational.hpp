// Co-rotational linear elasticity.
#pragma once

#include "stiffly/forces/lame.hpp"
#include "stiffly/forces/tetrahedron_force.hpp"
#include "stiffly/forces/tetrahedron_strains.hpp"

namespace stiffly {

/// Linear elasticity seen from the rotating element: with F = RS, ψ = μ‖S − I‖² + λ/2 tr²(S − I). Its forces
/// are those of RK(R⁻¹x − x₀) (paper 000, §4.3) [Müller and Gross 2004], and ∂R/∂F drops out of the stress,
/// so that they derive from this energy. [Chao et al. 2010]
struct Corotational {
  static constexpr const char* name = "corotational tetrahedra";
  Lame moduli;
  /// Leaves the turning of R out of the tangent, as the papers do: RKRᵀ, never indefinite, not exact.
  bool frozen_rotation = false;

  double energy(const Eigen::Matrix3d& F) const;
  Eigen::Matrix3d stress(const Eigen::Matrix3d& F) const;
  Matrix9d tangent(const Eigen::Matrix3d& F) const;

  Vector6d strain(const Eigen::Matrix3d& F) const;
  Eigen::Matrix3d mean_stress(const TetrahedronPath& path) const;
  FrozenStrain freeze(const TetrahedronPath& path) const;
};

using CorotationalTetrahedra = TetrahedronForce<Corotational>;

}  // namespace stiffly
