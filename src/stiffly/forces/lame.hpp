// The two moduli of isotropic elasticity.
#pragma once

#include <Eigen/Core>

namespace stiffly {

/// λ and μ, Pa.
struct Lame {
  double mu = 0;
  double lambda = 0;

  /// From Young's modulus E > 0 and Poisson's ratio −1 < ν < ½: μ = E/(2(1+ν)), λ = Eν/((1+ν)(1−2ν)).
  /// Throws InputError outside these.
  static Lame from_young(double young, double poisson);
};

/// 2μ E + λ tr(E) I
inline Eigen::Matrix3d hooke(const Lame& moduli, const Eigen::Matrix3d& E) {
  return 2 * moduli.mu * E + moduli.lambda * E.trace() * Eigen::Matrix3d::Identity();
}

}  // namespace stiffly
