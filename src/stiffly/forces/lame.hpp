// The two moduli of isotropic elasticity.
#pragma once

namespace stiffly {

/// λ and μ, Pa.
struct Lame {
  double mu = 0;
  double lambda = 0;

  /// From Young's modulus E > 0 and Poisson's ratio −1 < ν < ½: μ = E/(2(1+ν)), λ = Eν/((1+ν)(1−2ν)).
  /// Throws InputError outside these.
  static Lame from_young(double young, double poisson);
};

}  // namespace stiffly
