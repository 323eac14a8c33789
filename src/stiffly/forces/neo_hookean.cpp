#include "stiffly/forces/neo_hookean.hpp"

#include <cmath>
#include <Eigen/Geometry>
#include <Eigen/LU>

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Parameters {
  double mu, lambda, alpha;
  explicit Parameters(const Lame& moduli)
      : mu(4 * moduli.mu / 3), lambda(moduli.lambda + 5 * moduli.mu / 6), alpha(1 + 0.75 * mu / lambda) {}
};

/// ∂J/∂F = (f_2×f_3, f_3×f_1, f_1×f_2) with the columns f of F.
Matrix3d cofactor(const Matrix3d& F) {
  Matrix3d out;
  for (int j = 0; j < 3; ++j) out.col(j) = F.col((j + 1) % 3).cross(F.col((j + 2) % 3));
  return out;
}

/// ∂²J/∂F²: column j of the cofactor depends on the two other columns of F.
Matrix9d cofactor_gradient(const Matrix3d& F) {
  Matrix9d out = Matrix9d::Zero();
  for (int j = 0; j < 3; ++j) {
    const int next = (j + 1) % 3, last = (j + 2) % 3;
    out.block<3, 3>(3 * j, 3 * next) = -cross_matrix(F.col(last));
    out.block<3, 3>(3 * j, 3 * last) = cross_matrix(F.col(next));
  }
  return out;
}

}  // namespace

double NeoHookean::energy(const Matrix3d& F) const {
  const Parameters p(moduli);
  const double strain = F.squaredNorm() - 3, J = F.determinant();
  // (J − α)² − (1 − α)² = (J − 1)(J + 1 − 2α)
  return 0.5 * (p.mu * (strain - std::log1p(strain / 4)) + p.lambda * (J - 1) * (J + 1 - 2 * p.alpha));
}

// P = μ̂(1 − 1/(I_C + 1)) F + λ̂(J − α) ∂J/∂F
Matrix3d NeoHookean::stress(const Matrix3d& F) const {
  const Parameters p(moduli);
  return p.mu * (1 - 1 / (F.squaredNorm() + 1)) * F + p.lambda * (F.determinant() - p.alpha) * cofactor(F);
}

// ∂P/∂F = μ̂(1 − 1/(I_C + 1)) I + 2μ̂/(I_C + 1)² F⊗F + λ̂ ∂J/∂F⊗∂J/∂F + λ̂(J − α) ∂²J/∂F²
Matrix9d NeoHookean::tangent(const Matrix3d& F) const {
  const Parameters p(moduli);
  const double I = F.squaredNorm() + 1;
  const Vector9d f = stacked(F), g = stacked(cofactor(F));
  return p.mu * (1 - 1 / I) * Matrix9d::Identity() + 2 * p.mu / (I * I) * f * f.transpose() +
         p.lambda * g * g.transpose() + p.lambda * (F.determinant() - p.alpha) * cofactor_gradient(F);
}

}  // namespace stiffly
