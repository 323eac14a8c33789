// What one step of a method does to linear motion: the raw material of stability regions.
#pragma once

#include <complex>
#include <Eigen/Core>

#include "stiffly/integrators/registry.hpp"

namespace stiffly::study {

/// The matrix by which a step multiplies its whole state, the method's memory included.
struct Amplification {
  Eigen::MatrixXd matrix;

  double trace() const { return matrix.trace(); }
  double determinant() const;
  double spectral_radius() const;
};

/// Of the oscillator with eigenvalues z and z̄ (z real: a double one), at a step of one. Found by making
/// steps, from unit vectors (of state and memory, for methods of several steps); nothing is known of the
/// method's formulas.
Amplification amplification(const IntegratorInfo& method, std::complex<double> z);

}  // namespace stiffly::study
