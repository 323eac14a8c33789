// Vectors of W Krylov spaces at once, in the inner product ⟨y, ŷ⟩ = xᵀ(K₊ + ςM)x̂ + vᵀMv̂ + σᵀσ̂.
#pragma once

#include "stiffly/fibres/batch_view.hpp"
#include "stiffly/fibres/lanes.hpp"

namespace stiffly {

/// A lane whose space has ended has zeros for all further vectors: they change nothing, to the bit.
template <int W>
struct BatchKrylov {
  using Lane = Lanes<W>;
  using Math = LaneMath<W>;

  /// c_i = ⟨y_i, y⟩ for the first vectors, with y of displacements x, momenta Mv and border σ.
  static void project(const BasisView& basis, int count, const double* x, const double* momentum,
                      const double* tail, double* c) {
    for_blocks(count, [&]<int N>(int i) {
      const Lane* y = Math::at(basis.vectors) + i * basis.stride();
      Lane sum[N] = {};
      add_products<N>(basis, basis.unknowns, y + basis.metric(), Math::at(x), sum);
      add_products<N>(basis, basis.unknowns, y + basis.velocity(), Math::at(momentum), sum);
      add_products<N>(basis, basis.border, y + basis.tail(), Math::at(tail), sum);
      for (int k = 0; k < N; ++k) Math::at(c)[i + k] = sum[k];
    });
  }

  /// (x, v, σ) of the vector behind the first `count` less Σ c_i y_i.
  static void subtract(const BasisView& basis, int count, const double* c) {
    Lane* y = Math::at(basis.vectors) + count * basis.stride();
    add_combination(basis, count, c, Math::all(-1), 0, 2 * basis.unknowns, y);
    add_combination(basis, count, c, Math::all(-1), basis.tail(), basis.border, y + basis.tail());
  }

  /// (x, v) ← Σ c_i y_i in lanes where `chosen` is not 0; the others stay.
  static void combine(const BasisView& basis, int count, const double* c, double* out, const double* chosen) {
    const auto set = *Math::at(chosen) != 0;
    for (int k = 0; k < 2 * basis.unknowns; ++k) Math::at(out)[k] = set ? Math::all(0) : Math::at(out)[k];
    add_combination(basis, count, c, set ? Math::all(1) : Math::all(0), 0, 2 * basis.unknowns, Math::at(out));
  }

  /// Mv of free particles.
  static void momentum(const BatchView& view, const double* v, double* out) {
    for (int i = 0; i < batch::section_size * view.sections; ++i)
      Math::at(out)[i] = Math::at(view.mass)[i / 3] * Math::at(v)[i];
  }

  /// xᵀg + vᵀMv, with g the metric of x.
  static void square(const BatchView& view, const double* x, const double* metric, const double* v,
                     double* out) {
    Lane sum = Math::all(0);
    for (int i = 0; i < batch::section_size * view.sections; ++i)
      sum +=
          Math::at(x)[i] * Math::at(metric)[i] + Math::at(view.mass)[i / 3] * Math::at(v)[i] * Math::at(v)[i];
    *Math::at(out) = sum;
  }

  /// y ← a y, zeros where a is 0.
  static void scale(int count, const double* a, double* y) {
    const Lane factor = *Math::at(a);
    for (int i = 0; i < count; ++i) Math::at(y)[i] = factor == 0 ? Math::all(0) : factor * Math::at(y)[i];
  }

  /// Row and column j of H_ik = ⟨y_i, J y_k⟩ = (Gx_i)·v_k + v_i·f_k without borders, for i, k up to j; rows
  /// of H are `row` entries apart.
  static void compress(const BasisView& basis, int j, int row, double* H) {
    const Lane* last = Math::at(basis.vectors) + j * basis.stride();
    for_blocks(j + 1, [&]<int N>(int i) {
      const Lane* y = Math::at(basis.vectors) + i * basis.stride();
      Lane column[N] = {}, along[N] = {};
      add_products<N>(basis, basis.unknowns, y + basis.metric(), last + basis.velocity(), column);
      add_products<N>(basis, basis.unknowns, y + basis.velocity(), last + basis.force(), column);
      add_products<N>(basis, basis.unknowns, y + basis.velocity(), last + basis.metric(), along);
      add_products<N>(basis, basis.unknowns, y + basis.force(), last + basis.velocity(), along);
      for (int k = 0; k < N; ++k) {
        Math::at(H)[j * row + i + k] = along[k];
        Math::at(H)[(i + k) * row + j] = column[k];
      }
    });
  }

 private:
  /// body<N>(i) for four vectors at a time, and one by one for the rest.
  template <class Body>
  static void for_blocks(int count, const Body& body) {
    int i = 0;
    for (; i + 4 <= count; i += 4) body.template operator()<4>(i);
    for (; i < count; ++i) body.template operator()<1>(i);
  }
  /// sum_k += y_k · x, for vectors that follow each other.
  template <int N>
  static void add_products(const BasisView& basis, int count, const Lane* y, const Lane* x, Lane (&sum)[N]) {
    const int stride = basis.stride();
    for (int e = 0; e < count; ++e)
#pragma GCC unroll 4
      for (int k = 0; k < N; ++k) sum[k] += y[k * stride + e] * x[e];
  }
  /// out += a Σ c_i y_i in `size` entries from `first` on.
  static void add_combination(const BasisView& basis, int count, const double* c, Lane a, int first, int size,
                              Lane* out) {
    const int stride = basis.stride();
    for_blocks(count, [&]<int N>(int i) {
      const Lane* y = Math::at(basis.vectors) + i * stride + first;
      Lane weight[N];
      for (int k = 0; k < N; ++k) weight[k] = a * Math::at(c)[i + k];
      for (int e = 0; e < size; ++e) {
        Lane sum = out[e];
#pragma GCC unroll 4
        for (int k = 0; k < N; ++k) sum += weight[k] * y[k * stride + e];
        out[e] = sum;
      }
    });
  }
};

}  // namespace stiffly
