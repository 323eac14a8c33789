#include "stiffly/forces/saint_venant_kirchhoff.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;

Matrix3d green_strain(const Matrix3d& F) { return 0.5 * (F.transpose() * F - Matrix3d::Identity()); }

/// 2μ E + λ tr(E) I
Matrix3d hooke(const Lame& moduli, const Matrix3d& E) {
  return 2 * moduli.mu * E + moduli.lambda * E.trace() * Matrix3d::Identity();
}

}  // namespace

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

}  // namespace stiffly
