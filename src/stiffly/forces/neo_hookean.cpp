#include "stiffly/forces/neo_hookean.hpp"

#include <cmath>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "stiffly/forces/green_strain.hpp"

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

/// What is bilinear in cof(A + B) = cof A + cofactor(A, B) + cof B.
Matrix3d cofactor(const Matrix3d& A, const Matrix3d& B) {
  return cofactor(A + B) - cofactor(A) - cofactor(B);
}

/// det F from C, with the sign that F has. Where an iterate of C is not positive definite, a little.
double volume_ratio(const Matrix3d& F, const Matrix3d& C) {
  return std::copysign(std::sqrt(std::max(1e-8, C.determinant())), F.determinant());
}

Matrix3d right_cauchy_green(const Vector6d& green) { return Matrix3d::Identity() + 2 * from_strain(green); }

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

Vector6d NeoHookean::strain(const Matrix3d& F) const { return to_strain(green_strain(F)); }

// Σ̄ = μ̂(1 − Δlog(I_C + 1)/ΔI_C) I + λ̂(1 − 2α/(J₀ + J₁)) (cof C₀ + 4 cof C̄ + cof C₁)/6, as det C is cubic in C
// and ΔJ = Δdet C/(J₀ + J₁).
Matrix3d NeoHookean::mean_stress(const TetrahedronPath& path) const {
  const Parameters p(moduli);
  const Matrix3d C0 = right_cauchy_green(path.start_strain), C1 = right_cauchy_green(path.strain);
  const double I = C0.trace() + 1, dI = C1.trace() - C0.trace();
  const double slope = std::abs(dI) < 1e-5 * I ? 1 / (I + dI / 2) : std::log1p(dI / I) / dI;
  const double J = volume_ratio(path.start, C0) + volume_ratio(path.end, C1);
  const Matrix3d cofactors = (cofactor(C0) + 4 * cofactor(0.5 * (C0 + C1)) + cofactor(C1)) / 6;
  return p.mu * (1 - slope) * Matrix3d::Identity() + p.lambda * (1 - 2 * p.alpha / J) * cofactors +
         hooke(moduli, from_strain((path.theta - 0.5) * (path.strain - path.start_strain)));
}

// With Σ(C) = μ̂(1 − 1/(I_C + 1)) I + λ̂(1 − α/J) cof C and dC = 2 dE.
FrozenStrain NeoHookean::freeze(const TetrahedronPath& path) const {
  const Parameters p(moduli);
  const Matrix3d C = right_cauchy_green(path.mean_strain()), cofactors = cofactor(C);
  const double I = C.trace() + 1, J = volume_ratio(path.mean(), C);
  const auto change = [&](const Matrix3d& E) -> Matrix3d {
    const double dJ = cofactors.cwiseProduct(E).sum() / J;
    return 2 * p.mu / (I * I) * E.trace() * Matrix3d::Identity() +
           p.lambda * (p.alpha / (J * J) * dJ * cofactors + (1 - p.alpha / J) * cofactor(C, 2 * E));
  };
  return freeze_green_strain(path, strain_matrix(change), mean_stress(path));
}

}  // namespace stiffly
