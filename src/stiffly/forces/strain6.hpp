// Symmetric 3×3 matrices as six numbers, so that work is a dot product.
#pragma once

#include <Eigen/Core>

namespace stiffly {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// Order of entries: 11, 22, 33, 12, 23, 31.
constexpr int strain_row[6] = {0, 1, 2, 0, 1, 2}, strain_column[6] = {0, 1, 2, 1, 2, 0};

/// The symmetric part of E, shears doubled: a strain.
inline Vector6d to_strain(const Eigen::Matrix3d& E) {
  Vector6d out;
  for (int a = 0; a < 6; ++a)
    out(a) = (a < 3 ? 0.5 : 1) * (E(strain_row[a], strain_column[a]) + E(strain_column[a], strain_row[a]));
  return out;
}

inline Eigen::Matrix3d from_strain(const Vector6d& strain) {
  Eigen::Matrix3d E;
  for (int a = 0; a < 6; ++a)
    E(strain_row[a], strain_column[a]) = E(strain_column[a], strain_row[a]) = (a < 3 ? 1 : 0.5) * strain(a);
  return E;
}

/// The symmetric part of S, shears as they are: a stress. to_stress(S)·to_strain(E) = S:E.
inline Vector6d to_stress(const Eigen::Matrix3d& S) {
  Vector6d out;
  for (int a = 0; a < 6; ++a)
    out(a) = 0.5 * (S(strain_row[a], strain_column[a]) + S(strain_column[a], strain_row[a]));
  return out;
}

inline Eigen::Matrix3d from_stress(const Vector6d& stress) {
  Eigen::Matrix3d S;
  for (int a = 0; a < 6; ++a)
    S(strain_row[a], strain_column[a]) = S(strain_column[a], strain_row[a]) = stress(a);
  return S;
}

/// The matrix of a linear map from strains E to stresses.
template <class Map>
Matrix6d strain_matrix(const Map& stress_of) {
  Matrix6d out;
  for (int a = 0; a < 6; ++a) out.col(a) = to_stress(stress_of(from_strain(Vector6d::Unit(a))));
  return 0.5 * (out + out.transpose());
}

/// The matrix of dF ↦ sym(AᵀdF), dF one column after the other.
inline Eigen::Matrix<double, 6, 9> strain_directions(const Eigen::Matrix3d& A) {
  Eigen::Matrix<double, 6, 9> out;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      Eigen::Matrix3d product = Eigen::Matrix3d::Zero();
      product.col(j) = A.row(i).transpose();
      out.col(3 * j + i) = to_strain(product);
    }
  return out;
}

/// The nearest matrix without negative eigenvalues.
template <class Matrix>
Matrix positive_part(const Matrix& A);

/// X with SX + XS = Y, for symmetric S.
class Lyapunov {
 public:
  explicit Lyapunov(const Eigen::Matrix3d& S);
  Eigen::Matrix3d solve(const Eigen::Matrix3d& Y) const;

 private:
  Eigen::Matrix3d axes_;     ///< eigenvectors of S
  Eigen::Matrix3d divisor_;  ///< σ_i + σ_j
};

}  // namespace stiffly
