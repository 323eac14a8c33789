#include "stiffly/forces/saint_venant_kirchhoff.hpp"

#include "stiffly/forces/green_strain.hpp"

namespace stiffly {

using Eigen::Matrix3d;

double SaintVenantKirchhoff::energy(const Matrix3d& F) const {
  const Matrix3d E = green_strain(F);
  return moduli.mu * E.squaredNorm() + 0.5 * moduli.lambda * E.trace() * E.trace();
}

// P = F(2μ E + λ tr(E) I)
Matrix3d SaintVenantKirchhoff::stress(const Matrix3d& F) const { return F * hooke(moduli, green_strain(F)); }

// dP = dF(2μ E + λ tr(E) I) + F(2μ dE + λ tr(dE) I) with dE = ½(dFᵀF + FᵀdF), for each unit dF = e_i e_jᵀ
Matrix9d SaintVenantKirchhoff::tangent(const Matrix3d& F) const {
  const Matrix3d second_stress = hooke(moduli, green_strain(F));
  Matrix9d out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Matrix3d dF = Matrix3d::Zero();
      dF(i, j) = 1;
      const Matrix3d product = F.transpose() * dF;
      out.col(3 * j + i) =
          stacked(dF * second_stress + F * hooke(moduli, 0.5 * (product + product.transpose())));
    }
  return out;
}

Vector6d SaintVenantKirchhoff::strain(const Matrix3d& F) const { return to_strain(green_strain(F)); }

// Σ̄ = D(Ē + (θ−½)ΔE): E is quadratic in F, so that ΔE = sym(F̄ᵀΔF). [Simo and Tarnow 1992]
Matrix3d SaintVenantKirchhoff::mean_stress(const TetrahedronPath& path) const {
  return hooke(moduli,
               from_strain(path.mean_strain() + (path.theta - 0.5) * (path.strain - path.start_strain)));
}

FrozenStrain SaintVenantKirchhoff::freeze(const TetrahedronPath& path) const {
  return freeze_green_strain(path, strain_matrix([&](const Matrix3d& E) { return hooke(moduli, E); }),
                             mean_stress(path));
}

}  // namespace stiffly
