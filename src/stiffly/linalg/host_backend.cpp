// The host backend: plain loops over fixed chunks.
#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "stiffly/linalg/backend.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

constexpr std::size_t chunk = 4096;
constexpr std::size_t alignment = 64;

std::size_t chunks(std::size_t n) { return (n + chunk - 1) / chunk; }

/// Eight numbers in vector registers, as many as the processor needs for them.
using Eight = double __attribute__((vector_size(8 * sizeof(double))));

// By reference: how such values are returned depends on the processor compiled for.
inline void load(const double* from, Eight& v) { std::memcpy(&v, from, sizeof v); }

/// Sixteen partial sums: independent additions for the vector units, in an order fixed by the source.
double chunk_dot(const double* x, const double* y, std::size_t first, std::size_t last) {
  Eight even = {}, odd = {};
  std::size_t i = first;
  for (; i + 16 <= last; i += 16) {
    Eight x0, x1, y0, y1;
    load(x + i, x0);
    load(y + i, y0);
    load(x + i + 8, x1);
    load(y + i + 8, y1);
    even += x0 * y0;
    odd += x1 * y1;
  }
  even += odd;
  double sum = ((even[0] + even[4]) + (even[1] + even[5])) + ((even[2] + even[6]) + (even[3] + even[7]));
  for (; i < last; ++i) sum += x[i] * y[i];
  return sum;
}

class HostBackend final : public Backend {
 public:
  std::string_view name() const override { return "host"; }

  double* allocate(std::size_t n) const override {
    auto* data = static_cast<double*>(::operator new (n * sizeof(double), std::align_val_t{alignment}));
    fill(n, 0.0, data);
    return data;
  }
  void release(double* data, std::size_t) const noexcept override {
    ::operator delete (data, std::align_val_t{alignment});
  }
  void upload(std::span<const double> host, double* x) const override { copy(host.size(), host.data(), x); }
  void download(std::size_t n, const double* x, double* host) const override { copy(n, x, host); }

  void fill(std::size_t n, double value, double* x) const override {
    for_chunks<chunk>(n, [=](std::size_t first, std::size_t last) { std::fill(x + first, x + last, value); });
  }
  void copy(std::size_t n, const double* x, double* y) const override {
    if (x == y) return;
    for_chunks<chunk>(n, [=](std::size_t first, std::size_t last) {
      std::memcpy(y + first, x + first, (last - first) * sizeof(double));
    });
  }
  void scale(std::size_t n, double a, double* x) const override {
    for_chunks<chunk>(n, [=](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) x[i] *= a;
    });
  }
  void axpby(std::size_t n, double a, const double* x, double b, double* y) const override {
    for_chunks<chunk>(n, [=](std::size_t first, std::size_t last) {
      if (b == 1.0) {
        for (std::size_t i = first; i < last; ++i) y[i] += a * x[i];
      } else if (b == 0.0) {  // y may hold anything, NaN included
        for (std::size_t i = first; i < last; ++i) y[i] = a * x[i];
      } else {
        for (std::size_t i = first; i < last; ++i) y[i] = a * x[i] + b * y[i];
      }
    });
  }
  void multiply(std::size_t n, const double* x, const double* y, double* z) const override {
    for_chunks<chunk>(n, [=](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) z[i] = x[i] * y[i];
    });
  }
  double dot(std::size_t n, const double* x, const double* y) const override {
    if (n <= chunk) return chunk_dot(x, y, 0, n);
    double out = 0;
    const double* xs[] = {x};
    multi_dot(n, xs, y, {&out, 1});
    return out;
  }
  bool same(std::size_t n, const double* x, const double* y) const override {
    return std::memcmp(x, y, n * sizeof(double)) == 0;
  }
  void multi_dot(std::size_t n, std::span<const double* const> xs, const double* y,
                 std::span<double> out) const override {
    const std::size_t k = xs.size();
    std::vector<double> partial(chunks(n) * k);
    for_chunks<chunk>(n, [&](std::size_t first, std::size_t last) {
      double* sums = partial.data() + first / chunk * k;
      for (std::size_t j = 0; j < k; ++j) sums[j] = chunk_dot(xs[j], y, first, last);
    });
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t c = 0; c < chunks(n); ++c)
      for (std::size_t j = 0; j < k; ++j) out[j] += partial[c * k + j];
  }
  void multi_axpby(std::size_t n, std::span<const double> a, std::span<const double* const> xs, double b,
                   double* y) const override {
    for_chunks<chunk>(n, [&](std::size_t first, std::size_t last) {
      std::size_t j = 0;
      if (xs.size() % 4 >= 2) {  // two at once with y's own factor: all there is in a two-term recurrence
        const double *p = xs[0], *q = xs[1];
        const double c = a[0], d = a[1];
        for (std::size_t i = first; i < last; ++i) y[i] = b * y[i] + (c * p[i] + d * q[i]);
        j = 2;
      } else if (b != 1.0) {
        for (std::size_t i = first; i < last; ++i) y[i] *= b;
      }
      for (; j + 4 <= xs.size(); j += 4) {  // four at a time: a quarter of the traffic on y
        const double *p = xs[j], *q = xs[j + 1], *r = xs[j + 2], *s = xs[j + 3];
        const double c = a[j], d = a[j + 1], e = a[j + 2], f = a[j + 3];
        for (std::size_t i = first; i < last; ++i) y[i] += (c * p[i] + d * q[i]) + (e * r[i] + f * s[i]);
      }
      for (; j < xs.size(); ++j)
        for (std::size_t i = first; i < last; ++i) y[i] += a[j] * xs[j][i];
    });
  }
};

}  // namespace

const Backend& host_backend() {
  static const HostBackend backend;
  return backend;
}

}  // namespace stiffly
