// What 3×3 matrices need and Eigen does not have.
#pragma once

#include <Eigen/Core>

namespace stiffly {

using Matrix9d = Eigen::Matrix<double, 9, 9>;
using Vector9d = Eigen::Matrix<double, 9, 1>;

/// The entries of F, one column after the other.
inline Vector9d stacked(const Eigen::Matrix3d& F) { return Eigen::Map<const Vector9d>(F.data()); }

/// [a]_×: the matrix of b ↦ a × b.
inline Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
  Eigen::Matrix3d out;
  out << 0, -a(2), a(1), a(2), 0, -a(0), -a(1), a(0), 0;
  return out;
}

}  // namespace stiffly
