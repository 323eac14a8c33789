#include "stiffly/forces/green_strain.hpp"

#include <Eigen/Eigenvalues>

#include "stiffly/linalg/polar.hpp"

namespace stiffly {

using Eigen::Matrix3d;

FrozenStrain freeze_green_strain(const TetrahedronPath& path, const Matrix6d& stiffness,
                                 const Matrix3d& mean_stress) {
  const Eigen::SelfAdjointEigenSolver<Matrix3d> C(Matrix3d::Identity() + 2 * from_strain(path.mean_strain()));
  const Matrix3d stretch = C.eigenvectors() * C.eigenvalues().cwiseMax(0.01).cwiseSqrt().asDiagonal() *
                           C.eigenvectors().transpose();
  FrozenStrain out{.directions = SignedSvd(path.mean()).rotation() * stretch,
                   .stiffness = positive_part(stiffness)};
  const Matrix3d tension = positive_part(mean_stress);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.geometric.block<3, 3>(3 * i, 3 * j).diagonal().setConstant(tension(i, j));
  return out;
}

}  // namespace stiffly
