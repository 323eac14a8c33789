// Computations that exist for host memory only (sparse factors, dense matrices), on vectors of any backend:
// in place where the entries are in host memory, on a copy of them elsewhere.
#pragma once

#include "stiffly/linalg/vector.hpp"

namespace stiffly {

inline bool is_on_host(ConstVectorView x) { return x.empty() || &x.backend() == &host_backend(); }

/// compute(entries of x)
template <class Compute>
void read_on_host(ConstVectorView x, const Compute& compute) {
  if (is_on_host(x)) return compute(host(x));
  const std::vector<double> entries = to_host(x);
  compute(std::span<const double>(entries));
}

/// compute(entries of x), which may change them
template <class Compute>
void change_on_host(VectorView x, const Compute& compute) {
  if (is_on_host(x)) return compute(host(x));
  std::vector<double> entries = to_host(x);
  compute(std::span<double>(entries));
  x.backend().upload(entries, x.data());
}

/// compute(entries of x, entries of y), which sets all of y. x and y may be the same vector.
template <class Compute>
void compute_on_host(ConstVectorView x, VectorView y, const Compute& compute) {
  if (is_on_host(x) || is_on_host(y)) return compute(host(x), host(y));  // throws where only one is
  const std::vector<double> in = to_host(x);
  std::vector<double> out(y.size());
  compute(std::span<const double>(in), std::span<double>(out));
  y.backend().upload(out, y.data());
}

}  // namespace stiffly
