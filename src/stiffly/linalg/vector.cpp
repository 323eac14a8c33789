#include "stiffly/linalg/vector.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "stiffly/effort.hpp"
#include "stiffly/error.hpp"

namespace stiffly {
namespace {

void check_alike(ConstVectorView x, ConstVectorView y) {
  assert(x.size() == y.size());
  if (&x.backend() != &y.backend())
    throw InputError(
        fmt::format("vectors of the backends '{}' and '{}' in one operation: make both on the same backend",
                    x.backend().name(), y.backend().name()));
}

void check_host(ConstVectorView x) {
  if (!x.empty() && &x.backend() != &host_backend())
    throw InputError(fmt::format(
        "entries of a vector of the backend '{}' were asked for in host memory: take a copy by to_host()",
        x.backend().name()));
}

std::vector<const double*> pointers(std::span<const Vector> xs, ConstVectorView like) {
  std::vector<const double*> data(xs.size());
  for (std::size_t i = 0; i < xs.size(); ++i) {
    check_alike(xs[i], like);
    data[i] = xs[i].data();
  }
  return data;
}

}  // namespace

void fill(double value, VectorView x) {
  add_effort(effort::vectors(x.size(), 1));
  x.backend().fill(x.size(), value, x.data());
}

void copy(ConstVectorView x, VectorView y) {
  check_alike(x, y);
  add_effort(effort::vectors(y.size(), 2));
  y.backend().copy(y.size(), x.data(), y.data());
}

void scale(double a, VectorView x) {
  add_effort(effort::vectors(x.size(), 2));
  x.backend().scale(x.size(), a, x.data());
}

void axpy(double a, ConstVectorView x, VectorView y) { axpby(a, x, 1.0, y); }

void axpby(double a, ConstVectorView x, double b, VectorView y) {
  check_alike(x, y);
  add_effort(effort::vectors(y.size(), 3));
  y.backend().axpby(y.size(), a, x.data(), b, y.data());
}

void multiply(ConstVectorView x, ConstVectorView y, VectorView z) {
  check_alike(x, z);
  check_alike(y, z);
  add_effort(effort::vectors(z.size(), 3));
  z.backend().multiply(z.size(), x.data(), y.data(), z.data());
}

double dot(ConstVectorView x, ConstVectorView y) {
  check_alike(x, y);
  add_effort(effort::vectors(y.size(), 2));
  return x.backend().dot(x.size(), x.data(), y.data());
}

double norm(ConstVectorView x) { return std::sqrt(dot(x, x)); }

bool same(ConstVectorView x, ConstVectorView y) {
  check_alike(x, y);
  return x.backend().same(x.size(), x.data(), y.data());
}

void multi_dot(std::span<const Vector> xs, ConstVectorView y, std::span<double> out) {
  assert(xs.size() == out.size());
  add_effort(effort::vectors(y.size(), xs.size() + 1));
  y.backend().multi_dot(y.size(), pointers(xs, y), y.data(), out);
}

void multi_axpby(std::span<const double> a, std::span<const Vector> xs, double b, VectorView y) {
  assert(xs.size() == a.size());
  add_effort(effort::vectors(y.size(), xs.size() + 2));
  y.backend().multi_axpby(y.size(), a, pointers(xs, y), b, y.data());
}

std::span<const double> host(ConstVectorView x) {
  check_host(x);
  return {x.data(), x.size()};
}

std::span<double> host(VectorView x) {
  check_host(x);
  return {x.data(), x.size()};
}

std::vector<double> to_host(ConstVectorView x) {
  std::vector<double> out(x.size());
  if (!x.empty()) x.backend().download(x.size(), x.data(), out.data());
  return out;
}

}  // namespace stiffly
