// The St. Venant–Kirchhoff material.
#pragma once

#include "stiffly/forces/lame.hpp"
#include "stiffly/forces/tetrahedron_force.hpp"
#include "stiffly/forces/tetrahedron_strains.hpp"

namespace stiffly {

/// Linear in Green's strain E = ½(FᵀF − I): ψ = μ‖E‖² + λ/2 tr²E. Right under large rotations and small
/// strains; under compression below 1/√3 it gives way. [Bonet and Wood 2008, §6.4]
struct SaintVenantKirchhoff {
  static constexpr const char* name = "St. Venant-Kirchhoff tetrahedra";
  Lame moduli;

  double energy(const Eigen::Matrix3d& F) const;
  Eigen::Matrix3d stress(const Eigen::Matrix3d& F) const;
  Matrix9d tangent(const Eigen::Matrix3d& F) const;

  Vector6d strain(const Eigen::Matrix3d& F) const;
  Eigen::Matrix3d mean_stress(const TetrahedronPath& path) const;
  FrozenStrain freeze(const TetrahedronPath& path) const;
};

using SaintVenantKirchhoffTetrahedra = TetrahedronForce<SaintVenantKirchhoff>;

}  // namespace stiffly
