#include "stiffly/linalg/polar.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>

namespace stiffly {

SignedSvd::SignedSvd(const Eigen::Matrix3d& F) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  U = svd.matrixU();
  V = svd.matrixV();
  sigma = svd.singularValues();
  for (Eigen::Matrix3d* side : {&U, &V})
    if (side->determinant() < 0) {
      side->col(2) *= -1;
      sigma(2) *= -1;
    }
}

Matrix9d SignedSvd::rotation_gradient() const {
  Matrix9d out = Matrix9d::Zero();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) {
      const double gap = sigma(i) + sigma(j);
      if (!(gap > 1e-9 * sigma(0))) continue;
      const Vector9d q = stacked(U.col(i) * V.col(j).transpose() - U.col(j) * V.col(i).transpose());
      out += q * q.transpose() / gap;
    }
  return out;
}

}  // namespace stiffly
