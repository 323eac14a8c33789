#include "stiffly/forces/corotational.hpp"

#include <Eigen/LU>

#include "stiffly/forces/green_strain.hpp"
#include "stiffly/linalg/polar.hpp"
#include "stiffly/linalg/symmetric_eigen.hpp"

namespace stiffly {

using Eigen::Matrix3d;

// The eigenvalues of S are σ.
double Corotational::energy(const Matrix3d& F) const {
  const Eigen::Array3d strain = SignedSvd(F).sigma.array() - 1;
  return moduli.mu * strain.square().sum() + 0.5 * moduli.lambda * strain.sum() * strain.sum();
}

// P = 2μ(F − R) + λ tr(S − I) R
Matrix3d Corotational::stress(const Matrix3d& F) const {
  const SignedSvd svd(F);
  const Matrix3d R = svd.rotation();
  return 2 * moduli.mu * (F - R) + moduli.lambda * (svd.sigma.sum() - 3) * R;
}

// ∂P/∂F = 2μ I + λ R⊗R + (λ tr(S − I) − 2μ) ∂R/∂F; at S = I the last term takes away what is antisymmetric in
// the rotated frame, and so it is kept, at S = I, when R is frozen: RKRᵀ.
Matrix9d Corotational::tangent(const Matrix3d& F) const {
  SignedSvd svd(F);
  const double pressure = frozen_rotation ? 0 : moduli.lambda * (svd.sigma.sum() - 3);
  if (frozen_rotation) svd.sigma.setOnes();
  const Vector9d R = stacked(svd.rotation());
  return 2 * moduli.mu * Matrix9d::Identity() + moduli.lambda * R * R.transpose() +
         (pressure - 2 * moduli.mu) * svd.rotation_gradient();
}

// S − I
Vector6d Corotational::strain(const Matrix3d& F) const {
  return to_strain(SignedSvd(F).stretch() - Matrix3d::Identity());
}

// C = S² gives ΔC = S̄ΔS + ΔS S̄, and F̄ᵀΔF + ΔFᵀF̄ = ΔC: with any stress T for S, Σ̄ with sym(Σ̄S̄) = T does its
// work, F̄Σ̄:ΔF = T:ΔS. The stress T = 2μ(S̄ − I) + λ tr(S̄ − I) I commutes with S̄, so that Σ̄ = T S̄⁻¹.
Matrix3d Corotational::mean_stress(const TetrahedronPath& path) const {
  const Matrix3d mean = from_strain(path.mean_strain()), stretch = Matrix3d::Identity() + mean;
  Matrix3d stress = hooke(moduli, mean) * stretch.inverse();
  if (path.theta != 0.5)
    stress += Lyapunov(stretch).solve(
        2 * hooke(moduli, from_strain((path.theta - 0.5) * (path.strain - path.start_strain))));
  return stress;
}

// B = sym(R̄ᵀdF). Turning in the plane of the axes i and j of S̄ has the stiffness (t_i + t_j)/(σ_i + σ_j),
// with t the stresses along them.
FrozenStrain Corotational::freeze(const TetrahedronPath& path) const {
  FrozenStrain out{.directions = SignedSvd(path.mean()).rotation(),
                   .stiffness = strain_matrix([&](const Matrix3d& E) { return hooke(moduli, E); })};
  const SymmetricEigen<Matrix3d> axes(from_strain(path.mean_strain()));
  const Eigen::Vector3d& strain = axes.values;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const double stress = 2 * moduli.mu * (strain(i) + strain(j)) + 2 * moduli.lambda * strain.sum();
    const double stretch = 2 + strain(i) + strain(j);
    if (!(stress > 0 && stretch > 1e-3)) continue;
    const Matrix3d turn = axes.vectors.col(i) * axes.vectors.col(j).transpose();
    const Vector9d q = stacked(out.directions * (turn - turn.transpose()));
    out.geometric += 0.5 * stress / stretch * q * q.transpose();
  }
  return out;
}

}  // namespace stiffly
