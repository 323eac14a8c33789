#include "stiffly/linalg/vector.hpp"

#include <cassert>
#include <cmath>

namespace stiffly {
namespace {

std::vector<const double*> pointers(std::span<const Vector> xs) {
  std::vector<const double*> data(xs.size());
  for (std::size_t i = 0; i < xs.size(); ++i) data[i] = xs[i].data();
  return data;
}

}  // namespace

void fill(double value, VectorView x) { x.backend().fill(x.size(), value, x.data()); }

void copy(ConstVectorView x, VectorView y) {
  assert(x.size() == y.size());
  y.backend().copy(y.size(), x.data(), y.data());
}

void scale(double a, VectorView x) { x.backend().scale(x.size(), a, x.data()); }

void axpy(double a, ConstVectorView x, VectorView y) { axpby(a, x, 1.0, y); }

void axpby(double a, ConstVectorView x, double b, VectorView y) {
  assert(x.size() == y.size());
  y.backend().axpby(y.size(), a, x.data(), b, y.data());
}

void multiply(ConstVectorView x, ConstVectorView y, VectorView z) {
  assert(x.size() == z.size() && y.size() == z.size());
  z.backend().multiply(z.size(), x.data(), y.data(), z.data());
}

double dot(ConstVectorView x, ConstVectorView y) {
  assert(x.size() == y.size());
  return x.backend().dot(x.size(), x.data(), y.data());
}

double norm(ConstVectorView x) { return std::sqrt(dot(x, x)); }

void multi_dot(std::span<const Vector> xs, ConstVectorView y, std::span<double> out) {
  assert(xs.size() == out.size());
  y.backend().multi_dot(y.size(), pointers(xs), y.data(), out);
}

void multi_axpby(std::span<const double> a, std::span<const Vector> xs, double b, VectorView y) {
  assert(xs.size() == a.size());
  y.backend().multi_axpby(y.size(), a, pointers(xs), b, y.data());
}

std::span<const double> host(ConstVectorView x) {
  assert(x.empty() || &x.backend() == &host_backend());
  return {x.data(), x.size()};
}

std::span<double> host(VectorView x) {
  assert(x.empty() || &x.backend() == &host_backend());
  return {x.data(), x.size()};
}

std::vector<double> to_host(ConstVectorView x) {
  std::vector<double> out(x.size());
  if (!x.empty()) x.backend().download(x.size(), x.data(), out.data());
  return out;
}

}  // namespace stiffly
