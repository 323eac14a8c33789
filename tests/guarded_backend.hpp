// A backend whose memory nobody else can touch, as that of a device: what goes past the interface of Backend
// ends the program with a message. Operators and systems of the host take part through adaptors, which stand
// for code of the device.
#pragma once

#include <unistd.h>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "stiffly/linalg/linear_operator.hpp"
#include "stiffly/system/mixed_force.hpp"

namespace stiffly::test {

/// Arrays are in host memory, but the pointers that are handed out carry a bit that no address has: following
/// one is a fault. Operations are those of the host, on the true addresses: results are the same, bit for
/// bit.
class GuardedBackend final : public Backend {
 public:
  GuardedBackend() { std::signal(SIGSEGV, explain); }

  /// What was done since the beginning.
  mutable long operations = 0, uploads = 0, downloads = 0;

  /// The true address, for code of the device.
  template <class Number>
  static Number* inside(Number* guarded) {
    const auto address = reinterpret_cast<std::uintptr_t>(guarded);
    if ((address & guard) == 0)
      throw std::logic_error("guarded backend: this is a pointer of another backend");
    return reinterpret_cast<Number*>(address & ~guard);
  }

  std::string_view name() const override { return "guarded"; }
  double* allocate(std::size_t n) const override {
    return reinterpret_cast<double*>(reinterpret_cast<std::uintptr_t>(host_backend().allocate(n)) | guard);
  }
  void release(double* data, std::size_t n) const noexcept override {
    host_backend().release(inside(data), n);
  }
  void upload(std::span<const double> host, double* x) const override {
    ++uploads;
    host_backend().upload(host, inside(x));
  }
  void download(std::size_t n, const double* x, double* host) const override {
    ++downloads;
    host_backend().download(n, inside(x), host);
  }
  void fill(std::size_t n, double value, double* x) const override {
    ++operations;
    host_backend().fill(n, value, inside(x));
  }
  void copy(std::size_t n, const double* x, double* y) const override {
    ++operations;
    host_backend().copy(n, inside(x), inside(y));
  }
  void scale(std::size_t n, double a, double* x) const override {
    ++operations;
    host_backend().scale(n, a, inside(x));
  }
  void axpby(std::size_t n, double a, const double* x, double b, double* y) const override {
    ++operations;
    host_backend().axpby(n, a, inside(x), b, inside(y));
  }
  void multiply(std::size_t n, const double* x, const double* y, double* z) const override {
    ++operations;
    host_backend().multiply(n, inside(x), inside(y), inside(z));
  }
  double dot(std::size_t n, const double* x, const double* y) const override {
    ++operations;
    return host_backend().dot(n, inside(x), inside(y));
  }
  bool same(std::size_t n, const double* x, const double* y) const override {
    ++operations;
    return host_backend().same(n, inside(x), inside(y));
  }
  void multi_dot(std::size_t n, std::span<const double* const> xs, const double* y,
                 std::span<double> out) const override {
    ++operations;
    host_backend().multi_dot(n, all_inside(xs), inside(y), out);
  }
  void multi_axpby(std::size_t n, std::span<const double> a, std::span<const double* const> xs, double b,
                   double* y) const override {
    ++operations;
    host_backend().multi_axpby(n, a, all_inside(xs), b, inside(y));
  }

 private:
  /// Above every address of a process, and below the bits that ARM leaves to tags.
  static constexpr std::uintptr_t guard = std::uintptr_t{1} << 54;

  static std::vector<const double*> all_inside(std::span<const double* const> xs) {
    std::vector<const double*> out;
    for (const double* x : xs) out.push_back(inside(x));
    return out;
  }

  static void explain(int signal) {
    constexpr std::string_view message =
        "memory fault: entries of a vector of the guarded backend were touched past the backend\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
};

inline const GuardedBackend& guarded_backend() {
  static const GuardedBackend backend;
  return backend;
}

/// Guarded vectors as code of the device sees them.
inline ConstVectorView inside(ConstVectorView x) {
  return {host_backend(), GuardedBackend::inside(x.data()), x.size()};
}
inline VectorView inside(VectorView x) {
  return {host_backend(), GuardedBackend::inside(x.data()), x.size()};
}

/// Vectors and states moved there, and back.
inline Vector guarded(ConstVectorView x) {
  return x.empty() ? Vector() : Vector(to_host(x), guarded_backend());
}
inline State guarded(const State& state) { return State(state.time, guarded(state.y)); }
inline State unguarded(const State& state) { return State(state.time, Vector(to_host(state.y))); }

/// An operator of the host for guarded vectors.
class GuardedOperator final : public LinearOperator {
 public:
  explicit GuardedOperator(const LinearOperator& inner) : inner_(inner) {}
  std::size_t size() const override { return inner_.size(); }
  const Backend& backend() const override { return guarded_backend(); }
  void apply(ConstVectorView x, VectorView y) const override { inner_.apply(inside(x), inside(y)); }
  bool euclidean() const override { return inner_.euclidean(); }
  void apply_metric(ConstVectorView x, VectorView y) const override {
    inner_.apply_metric(inside(x), inside(y));
  }
  void apply_both(ConstVectorView x, VectorView Ax, VectorView Gx) const override {
    inner_.apply_both(inside(x), inside(Ax), inside(Gx));
  }
  bool skew() const override { return inner_.skew(); }
  std::optional<double> spectral_bound() const override { return inner_.spectral_bound(); }
  bool can_shift_invert() const override { return inner_.can_shift_invert(); }
  std::unique_ptr<ShiftedInverse> shifted_inverse(double sigma,
                                                  std::unique_ptr<ShiftedInverse> previous) const override {
    auto* mine = dynamic_cast<Inverse*>(previous.get());
    return std::make_unique<Inverse>(inner_.shifted_inverse(sigma, mine ? std::move(mine->inner) : nullptr));
  }

 private:
  struct Inverse final : ShiftedInverse {
    explicit Inverse(std::unique_ptr<ShiftedInverse> of) : inner(std::move(of)) {}
    void solve(ConstVectorView b, VectorView x) const override { inner->solve(inside(b), inside(x)); }
    std::unique_ptr<ShiftedInverse> inner;
  };
  const LinearOperator& inner_;
};

/// Forces of the host with strains as unknowns, for guarded states.
class GuardedMixedForce final : public MixedForce {
 public:
  GuardedMixedForce(const SecondOrderSystem& system, std::unique_ptr<MixedForce> inner)
      : MixedForce(system), inner_(std::move(inner)) {}
  std::size_t strains() const override { return inner_->strains(); }
  void measure(double t, ConstVectorView x, ConstVectorView v, std::span<double> strain) const override {
    inner_->measure(t, inside(x), inside(v), strain);
  }
  void follow(ConstVectorView dx, ConstVectorView dv, std::span<const double> gap,
              std::span<double> strain) const override {
    inner_->follow(inside(dx), inside(dv), gap, strain);
  }

 protected:
  void do_freeze(const ForcePath& path, std::span<const double> strain, Tangent& out) override {
    inner_->freeze(inside_of(path), strain, out);
  }
  void do_force(const ForcePath& path, std::span<const double> strain, std::span<double> gap,
                VectorView f) const override {
    inner_->force(inside_of(path), strain, gap, inside(f));
  }

 private:
  static ForcePath inside_of(ForcePath path) {
    path.x = inside(path.x);
    path.v = inside(path.v);
    if (path.is_step()) path.start_x = inside(path.start_x);
    return path;
  }
  std::unique_ptr<MixedForce> inner_;
};

/// A system of the host for guarded states.
class GuardedSystem final : public SecondOrderSystem {
 public:
  explicit GuardedSystem(const SecondOrderSystem& inner)
      : inner_(inner), mass_(inner.mass().on(guarded_backend())) {}
  std::size_t unknowns() const override { return inner_.unknowns(); }
  const MassMatrix& mass() const override { return mass_; }
  double potential_energy(double t, ConstVectorView x) const override {
    return inner_.potential_energy(t, inside(x));
  }
  bool autonomous() const override { return inner_.autonomous(); }
  bool passive() const override { return inner_.passive(); }
  bool conservative() const override { return inner_.conservative(); }
  void linear_part(const State& start, Tangent& out) const override {
    inner_.linear_part(unguarded(start), out);
  }
  std::unique_ptr<MixedForce> mixed_force() const override {
    return std::make_unique<GuardedMixedForce>(*this, inner_.mixed_force());
  }
  std::string describe(std::size_t unknown) const override { return inner_.describe(unknown); }

 protected:
  void do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const override {
    inner_.force(t, inside(x), inside(v), inside(f));
  }
  void do_tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const override {
    inner_.tangent(t, inside(x), inside(v), out);
  }
  void do_force_rate(double t, ConstVectorView x, ConstVectorView v, VectorView out) const override {
    inner_.force_rate(t, inside(x), inside(v), inside(out));
  }

 private:
  const SecondOrderSystem& inner_;
  MassMatrix mass_;
};

}  // namespace stiffly::test
