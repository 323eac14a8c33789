// Preconditioned conjugate gradients, with constraints if need be.
#pragma once

#include <functional>

#include "stiffly/linalg/vector.hpp"

namespace stiffly {

struct ConjugateGradientOptions {
  double relative = 1e-10;  ///< ‖r‖ ≤ relative ‖b‖ ends the iteration
  int max_iterations = 10000;
};

struct ConjugateGradientResult {
  int iterations = 0;
  double residual = 0;  ///< ‖r‖/‖b‖
  bool converged = false;
  bool indefinite = false;  ///< a direction of negative curvature was met
};

/// A x = b for symmetric positive definite A; workspace is kept from call to call.
class ConjugateGradients {
 public:
  using Map = std::function<void(ConstVectorView, VectorView)>;  ///< y ← A x, or z ← A⁻¹ r approximately
  using Filter = std::function<void(VectorView)>;                ///< x ← S x, an orthogonal projector

  /// From the x given. With a filter only the components that it leaves alone are changed: S A S δ = S(b − A
  /// x) [Baraff & Witkin 1998; paper 004 §4.2, whose loop runs while ‖r‖ > ε‖b‖, not the other way round].
  ConjugateGradientResult solve(const Map& matrix, const Map& preconditioner, ConstVectorView b, VectorView x,
                                const ConjugateGradientOptions& options, const Filter& filter = {});

 private:
  Vector residual_, direction_, product_, preconditioned_;
};

}  // namespace stiffly
