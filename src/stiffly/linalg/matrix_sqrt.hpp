// Ω = √A of a symmetric positive definite matrix, written out. Ω is dense whatever A is: for small systems.
#pragma once

#include <Eigen/Core>

namespace stiffly {

/// Ω = Q √Λ Qᵀ from A = QΛQᵀ. Throws NotPositiveDefinite, naming the first row at which elimination fails.
Eigen::MatrixXd sqrt_by_eigen(const Eigen::MatrixXd& spd);

struct NewtonSqrtOptions {
  bool scaled = true;        ///< μ_k by norms; false: μ_k = 1, to see what scaling is worth
  int max_iterations = 100;  ///< more are a SimulationError
};

struct NewtonSqrt {
  Eigen::MatrixXd root;
  int iterations = 0;
};

/// Ω_{k+1} = ½(μ_k Ω_k + μ_k⁻¹ Ω_k⁻¹ A), Ω_0 = A (paper 000 §3.1), in the stable form of a polar
/// decomposition.
///
/// As printed the iteration is unstable: round-off E in Ω_k that does not commute with A comes back as
/// ½(E − Ω⁻¹EΩ), which for cond(A) > 9 is larger than E. With A = RᵀR (Cholesky) the same iterates are Ω_k =
/// U_kᵀR,
///   U_{k+1} = ½(μ_k U_k + μ_k⁻¹ U_k⁻ᵀ),   U_0 = R,
/// Newton's iteration for the orthogonal polar factor of R = UΩ, which is stable, works on cond(R) =
/// √cond(A), and needs no product with A [Higham, Functions of Matrices, 2008, §6.4 and alg. 6.21]. μ_k =
/// (‖U⁻¹‖_1‖U⁻¹‖_∞/(‖U‖_1‖U‖_∞))^{1/4} makes singular values on both sides of 1 approach it at once: 8 to 10
/// iterations up to cond(A) = 1e16, against ½log₂cond(A) + 5 without.
NewtonSqrt sqrt_by_newton(const Eigen::MatrixXd& spd, const NewtonSqrtOptions& options = {});

}  // namespace stiffly
