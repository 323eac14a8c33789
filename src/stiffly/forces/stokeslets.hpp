// Flow of a viscous fluid without inertia that is driven by forces at points, each spread over a small blob.
#pragma once

#include <Eigen/Core>
#include <span>

namespace stiffly {

/// Regularised Stokeslets [Cortez 2001; Cortez, Fauci, Medovikov 2005, eq. 8]. A force g at the origin,
/// spread as 15ε⁴/(8π(r² + ε²)^{7/2}), drives the flow
///   u(r) = (g (R² + ε²) + (g·r) r) / (8πμR³),  R² = r² + ε²,
/// so points feel the flow of their own forces too: a single one has the drag 4πμε of a ball of radius ⅔ε.
class Stokeslets {
 public:
  /// Viscosity μ in Pa s, size ε of the blobs in m. Throws InputError unless both are positive and finite.
  Stokeslets(double viscosity, double blob);

  double viscosity() const { return viscosity_; }
  double blob() const { return blob_; }

  /// u = mobility(r) g; symmetric, and even in r.
  Eigen::Matrix3d mobility(const Eigen::Vector3d& r) const;
  /// ∂(mobility(r) g)/∂r
  Eigen::Matrix3d gradient(const Eigen::Vector3d& r, const Eigen::Vector3d& g) const;

  /// G of n points (three numbers each): velocities u = G g of the fluid at them from forces g that they
  /// exert on it. Symmetric; positive definite as long as no two points are the same, for the blob's Fourier
  /// transform ½(kε)² K₂(kε) is positive.
  Eigen::MatrixXd mobility_matrix(std::span<const double> points) const;
  /// B with columns (∂G/∂x_j) g for all coordinates x_j of the points.
  Eigen::MatrixXd mobility_change(std::span<const double> points, const Eigen::VectorXd& g) const;

  /// u ← velocities at the targets of the fluid that forces at the sources drive: all pairs, in blocks, by
  /// threads. The order of each sum is that of the sources.
  void velocity(std::span<const double> sources, std::span<const double> forces,
                std::span<const double> targets, std::span<double> u) const;

 private:
  double viscosity_, blob_;
  double scale_;  ///< 1/(8πμ)
};

}  // namespace stiffly
