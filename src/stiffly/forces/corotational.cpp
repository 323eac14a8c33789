#include "stiffly/forces/corotational.hpp"

#include "stiffly/linalg/polar.hpp"

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

}  // namespace stiffly
