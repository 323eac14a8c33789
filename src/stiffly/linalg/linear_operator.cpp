#include "stiffly/linalg/linear_operator.hpp"

#include <atomic>
#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {

OperatorId OperatorId::next() {
  static std::atomic<std::uint64_t> last = 0;
  OperatorId id;
  id.number_ = ++last;
  return id;
}

std::unique_ptr<ShiftedInverse> LinearOperator::shifted_inverse(double,
                                                                std::unique_ptr<ShiftedInverse>) const {
  throw InputError("this operator offers no shifted solves: choose a polynomial evaluator (kiops, phipm, …)");
}

double norm_from_metric(ConstVectorView x, ConstVectorView Gx) {
  const double square = dot(x, Gx);
  if (!(square < 0)) return std::sqrt(square);  // NaN goes on to the caller, who looks for it
  if (-square > 1e-12 * norm(x) * norm(Gx))
    throw IndefiniteMetric("the energy inner product is not positive: the stiffness has negative directions");
  return 0;
}

double metric_norm(const LinearOperator& a, ConstVectorView x, VectorView work) {
  if (a.euclidean()) return norm(x);
  a.apply_metric(x, work);
  return norm_from_metric(x, work);
}

double metric_norm(const LinearOperator& a, ConstVectorView x) {
  if (a.euclidean()) return norm(x);
  Vector work(x.size(), x.backend());
  return metric_norm(a, x, work);
}

}  // namespace stiffly
