#include "stiffly/phi/augmented.hpp"

#include <cmath>

namespace stiffly {

AugmentedOperator::AugmentedOperator(const LinearOperator& jacobian, double step,
                                     std::span<const ConstVectorView> b)
    : jacobian_(&jacobian), step_(step), p_(b.empty() ? 0 : b.size() - 1), eta_(1), b_(b.begin(), b.end()) {
  double largest = 0;
  for (std::size_t j = 1; j < b_.size(); ++j)
    if (!b_[j].empty()) largest = std::max(largest, norm(b_[j]));
  if (largest > 0) eta_ = std::ldexp(1.0, std::ilogb(largest));
}

AugmentedVector AugmentedOperator::zero() const {
  return {Vector(jacobian_->size(), jacobian_->backend()), std::vector<double>(p_, 0.0)};
}

AugmentedVector AugmentedOperator::start() const {
  AugmentedVector s = zero();
  if (!b_.empty() && !b_[0].empty()) copy(b_[0], s.large);
  s.small = small_part(0);
  return s;
}

std::vector<double> AugmentedOperator::small_part(double c) const {
  std::vector<double> s(p_);
  double term = eta_;
  for (std::size_t k = p_; k-- > 0;) {  // entry k is η c^{p−1−k}/(p−1−k)!
    s[k] = term;
    term *= c / static_cast<double>(p_ - k);
  }
  return s;
}

void AugmentedOperator::apply(const AugmentedVector& x, AugmentedVector& y) const {
  jacobian_->apply(x.large, y.large);
  scale(step_, y.large);
  // Column k of B multiplies entry k of the small part, which carries t^{p−1−k}/(p−1−k)!, the factor of
  // b_{p−k}.
  for (std::size_t k = 0; k < p_; ++k) {
    const ConstVectorView b = b_[p_ - k];
    if (!b.empty() && x.small[k] != 0) axpy(x.small[k] / eta_, b, y.large);
  }
  for (std::size_t k = 0; k + 1 < p_; ++k) y.small[k] = x.small[k + 1];
  if (p_ > 0) y.small[p_ - 1] = 0;
}

void axpby(double a, const AugmentedVector& x, double b, AugmentedVector& y) {
  axpby(a, x.large, b, y.large);
  for (std::size_t k = 0; k < y.small.size(); ++k) y.small[k] = a * x.small[k] + b * y.small[k];
}

double norm(const AugmentedVector& x) {
  double square = dot(x.large, x.large);
  for (const double s : x.small) square += s * s;
  return std::sqrt(square);
}

}  // namespace stiffly
