// Memory and elementary vector operations. This is the only place where entries of vectors are touched:
// evaluators and integrators are written against it, and run wherever a backend exists.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace stiffly {

/// Operations on arrays of n doubles that live in the backend's memory (host, device, or the local part of
/// a distributed vector). Reductions are global. Results do not depend on the number of threads.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;

  /// n doubles, all zero.
  virtual double* allocate(std::size_t n) const = 0;
  virtual void release(double* data, std::size_t n) const noexcept = 0;
  virtual void upload(std::span<const double> host, double* x) const = 0;
  virtual void download(std::size_t n, const double* x, double* host) const = 0;

  virtual void fill(std::size_t n, double value, double* x) const = 0;
  virtual void copy(std::size_t n, const double* x, double* y) const = 0;
  /// x ← a x
  virtual void scale(std::size_t n, double a, double* x) const = 0;
  /// y ← a x + b y
  virtual void axpby(std::size_t n, double a, const double* x, double b, double* y) const = 0;
  /// z ← x ∘ y (entry by entry)
  virtual void multiply(std::size_t n, const double* x, const double* y, double* z) const = 0;
  virtual double dot(std::size_t n, const double* x, const double* y) const = 0;
  /// Whether every entry of x has the bits of that of y.
  virtual bool same(std::size_t n, const double* x, const double* y) const = 0;
  /// out_i ← xs_i · y, reading y once
  virtual void multi_dot(std::size_t n, std::span<const double* const> xs, const double* y,
                         std::span<double> out) const = 0;
  /// y ← Σ a_i xs_i + b y, reading and writing y once
  virtual void multi_axpby(std::size_t n, std::span<const double> a, std::span<const double* const> xs,
                           double b, double* y) const = 0;
};

/// Host memory with OpenMP threads.
const Backend& host_backend();

}  // namespace stiffly
