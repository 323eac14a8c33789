#include "stiffly/linalg/conjugate_gradients.hpp"

namespace stiffly {

ConjugateGradientResult ConjugateGradients::solve(const Map& matrix, const Map& preconditioner,
                                                  ConstVectorView b, VectorView x,
                                                  const ConjugateGradientOptions& options,
                                                  const Filter& filter) {
  if (residual_.size() != b.size() || &residual_.backend() != &b.backend())
    for (Vector* v : {&residual_, &direction_, &product_, &preconditioned_})
      *v = Vector(b.size(), b.backend());
  const auto filtered = [&](Vector& v) {
    if (filter) filter(v);
  };
  ConjugateGradientResult result;
  copy(b, residual_);
  filtered(residual_);
  const double size = norm(residual_);
  matrix(x, product_);
  copy(b, residual_);
  axpy(-1.0, product_, residual_);
  filtered(residual_);

  double rz = 0;
  for (;; ++result.iterations) {
    const double rest = norm(residual_);
    result.residual = size > 0 ? rest / size : rest;
    result.converged = rest <= options.relative * size;
    if (result.converged || result.iterations == options.max_iterations) return result;
    preconditioner(residual_, preconditioned_);
    filtered(preconditioned_);
    const double next = dot(residual_, preconditioned_);
    axpby(1.0, preconditioned_, result.iterations == 0 ? 0.0 : next / rz, direction_);
    rz = next;
    matrix(direction_, product_);
    filtered(product_);
    const double curvature = dot(direction_, product_);
    if (!(curvature > 0)) {
      result.indefinite = true;
      return result;
    }
    axpy(rz / curvature, direction_, x);
    axpy(-rz / curvature, product_, residual_);
  }
}

}  // namespace stiffly
