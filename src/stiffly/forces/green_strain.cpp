#include "stiffly/forces/green_strain.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/linalg/polar.hpp"
#include "stiffly/linalg/symmetric_eigen.hpp"

namespace stiffly {

using Eigen::Matrix3d;

FrozenStrain freeze_green_strain(const TetrahedronPath& path, const Matrix6d& stiffness,
                                 const Matrix3d& mean_stress) {
  const SymmetricEigen<Matrix3d> C(Matrix3d::Identity() + 2 * from_strain(path.mean_strain()));
  const Matrix3d stretch = C.of([](double value) { return std::sqrt(std::max(0.01, value)); });
  FrozenStrain out{.directions = SignedSvd(path.mean()).rotation() * stretch,
                   .stiffness = positive_part(stiffness)};
  const Matrix3d tension = positive_part(mean_stress);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.geometric.block<3, 3>(3 * i, 3 * j).diagonal().setConstant(tension(i, j));
  return out;
}

}  // namespace stiffly
