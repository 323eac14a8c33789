// The rotation nearest to a 3×3 matrix, and how it turns with the matrix.
#pragma once

#include "stiffly/linalg/matrix3.hpp"

namespace stiffly {

/// F = U diag(σ) Vᵀ with rotations U and V: σ_1 ≥ σ_2 ≥ |σ_3|, and σ_3 has the sign of det F, so that R = UVᵀ
/// is the rotation nearest to F also where F is singular or turns space inside out. [Irving, Teran, Fedkiw
/// 2004]
struct SignedSvd {
  Eigen::Matrix3d U, V;
  Eigen::Vector3d sigma;

  explicit SignedSvd(const Eigen::Matrix3d& F);
  Eigen::Matrix3d rotation() const { return U * V.transpose(); }
  /// S = RᵀF = V diag(σ) Vᵀ
  Eigen::Matrix3d stretch() const { return V * sigma.asDiagonal() * V.transpose(); }
  /// ∂R/∂F, symmetric; matrices are stacked by columns. A sum over the three planes (i, j) of rotation,
  /// 2/(σ_i+σ_j) q qᵀ with q = U(e_i e_jᵀ − e_j e_iᵀ)Vᵀ/√2 [Smith, de Goes, Kim 2019]. Where σ_i + σ_j is 0
  /// the nearest rotation is not unique, and that plane is left out.
  Matrix9d rotation_gradient() const;
};

}  // namespace stiffly
