// Vectors as values, views of parts of them, and the vector-space operations all algorithms are made of.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "stiffly/linalg/backend.hpp"

namespace stiffly {

/// A read-only view of entries in a backend's memory. A default-made view is empty and stands for the zero
/// vector where an interface says so.
class ConstVectorView {
 public:
  ConstVectorView() = default;
  ConstVectorView(const Backend& backend, const double* data, std::size_t size)
      : backend_(&backend), data_(data), size_(size) {}
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const double* data() const { return data_; }
  const Backend& backend() const { return *backend_; }
  ConstVectorView part(std::size_t first, std::size_t count) const {
    return {*backend_, data_ + first, count};
  }

 private:
  const Backend* backend_ = nullptr;
  const double* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A view that may write.
class VectorView {
 public:
  VectorView() = default;
  VectorView(const Backend& backend, double* data, std::size_t size)
      : backend_(&backend), data_(data), size_(size) {}
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double* data() const { return data_; }
  const Backend& backend() const { return *backend_; }
  VectorView part(std::size_t first, std::size_t count) const { return {*backend_, data_ + first, count}; }
  operator ConstVectorView() const {
    return backend_ ? ConstVectorView{*backend_, data_, size_} : ConstVectorView{};
  }

 private:
  const Backend* backend_ = nullptr;
  double* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A vector that owns its memory; copies are deep.
class Vector {
 public:
  Vector() = default;
  /// n zeros.
  explicit Vector(std::size_t n, const Backend& backend = host_backend())
      : backend_(&backend), data_(n ? backend.allocate(n) : nullptr), size_(n) {}
  explicit Vector(ConstVectorView other) : Vector() {
    if (other.empty()) return;
    *this = Vector(other.size(), other.backend());
    backend_->copy(size_, other.data(), data_);
  }
  /// From host memory.
  explicit Vector(std::span<const double> host, const Backend& backend = host_backend())
      : Vector(host.size(), backend) {
    if (size_) backend.upload(host, data_);
  }
  Vector(const Vector& other) : Vector(static_cast<ConstVectorView>(other)) {}
  Vector(Vector&& other) noexcept { swap(other); }
  Vector& operator=(Vector other) noexcept {
    swap(other);
    return *this;
  }
  ~Vector() {
    if (data_) backend_->release(data_, size_);
  }
  void swap(Vector& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const double* data() const { return data_; }
  double* data() { return data_; }
  const Backend& backend() const { return *backend_; }
  operator ConstVectorView() const { return {*backend_, data_, size_}; }
  operator VectorView() { return {*backend_, data_, size_}; }
  ConstVectorView part(std::size_t first, std::size_t count) const {
    return {*backend_, data_ + first, count};
  }
  VectorView part(std::size_t first, std::size_t count) { return {*backend_, data_ + first, count}; }

 private:
  const Backend* backend_ = &host_backend();
  double* data_ = nullptr;
  std::size_t size_ = 0;
};

// ---- the operations; sizes must agree, and InputError is thrown where backends do not ----

void fill(double value, VectorView x);
/// y ← x
void copy(ConstVectorView x, VectorView y);
/// x ← a x
void scale(double a, VectorView x);
/// y ← a x + y
void axpy(double a, ConstVectorView x, VectorView y);
/// y ← a x + b y
void axpby(double a, ConstVectorView x, double b, VectorView y);
/// z ← x ∘ y
void multiply(ConstVectorView x, ConstVectorView y, VectorView z);
double dot(ConstVectorView x, ConstVectorView y);
double norm(ConstVectorView x);
/// Whether y is a copy of x, bit for bit.
bool same(ConstVectorView x, ConstVectorView y);
/// out_i ← xs_i · y
void multi_dot(std::span<const Vector> xs, ConstVectorView y, std::span<double> out);
/// y ← Σ a_i xs_i + b y
void multi_axpby(std::span<const double> a, std::span<const Vector> xs, double b, VectorView y);
/// y ← y + Σ a_i xs_i
inline void multi_axpy(std::span<const double> a, std::span<const Vector> xs, VectorView y) {
  multi_axpby(a, xs, 1.0, y);
}

/// Entries as a span, for code that works on the host only (forces, files). Throws InputError for a vector of
/// another backend; on_host.hpp has the ways to entries of any.
std::span<const double> host(ConstVectorView x);
std::span<double> host(VectorView x);
inline std::span<const double> host(const Vector& x) { return host(static_cast<ConstVectorView>(x)); }
inline std::span<double> host(Vector& x) { return host(static_cast<VectorView>(x)); }
/// Entries copied to host memory, from any backend.
std::vector<double> to_host(ConstVectorView x);

}  // namespace stiffly
