// Exponentials of W small matrices at once.
#pragma once

#include "stiffly/fibres/lanes.hpp"

namespace stiffly {

/// Row by row, entry by entry; sizes are multiples of four, filled up with zeros where a matrix is smaller.
template <int W>
struct SmallExponentials {
  using Lane = Lanes<W>;
  using Math = LaneMath<W>;
  static constexpr int degree = 16;

  /// E = exp(tA), with t of each lane: the Taylor polynomial of degree 16 of X = tA/2^s after Paterson and
  /// Stockmeyer,
  ///   Σ X^k/k! = ((X⁴/16! + B₃)X⁴ + B₂)X⁴ + …,  B_i = (I + X/(4i+1) + …)/(4i)!,
  /// six products, squared s times [Higham 2005]. ‖X‖ ≤ 0.7 leaves out less than 1e-17. Every lane has its
  /// own s: where it has been squared often enough, it stays. `norm` is a bound of ‖tA‖₂. `work` holds five
  /// matrices.
  static void exponential(int m, const double* A, const double* t, double* E, double* norm, double* work) {
    const int size = m * m;
    Lane *X = Math::at(work), *X2 = X + size, *X3 = X2 + size, *X4 = X3 + size, *other = X4 + size,
         *out = Math::at(E);
    Lane scale = *Math::at(t), left = bound(m, Math::at(A)) * Math::abs(scale), squarings = Math::all(0);
    *Math::at(norm) = left;
    for (int s = 0; s < most_squarings && Math::any(left > most ? Math::all(1) : Math::all(0)); ++s) {
      const auto large = left > most;
      scale = large ? 0.5 * scale : scale;
      squarings = large ? squarings + 1.0 : squarings;
      left = large ? 0.5 * left : left;
    }
    for (int i = 0; i < size; ++i) X[i] = scale * Math::at(A)[i];
    multiply(m, X, X, [&](int i, Lane sum) { X2[i] = sum; });
    multiply(m, X2, X, [&](int i, Lane sum) { X3[i] = sum; });
    multiply(m, X2, X2, [&](int i, Lane sum) { X4[i] = sum; });
    // B_i without its identity, which is added to the diagonal.
    const auto rest = [&](int group, int i) {
      const double* c = inverse_factorial + 4 * group;
      return c[1] * X[i] + c[2] * X2[i] + c[3] * X3[i];
    };
    for (int i = 0; i < size; ++i) out[i] = inverse_factorial[degree] * X4[i] + rest(3, i);
    for (int i = 0; i < m; ++i) out[i * m + i] += inverse_factorial[12];
    for (int group = 2; group >= 0; --group) {
      multiply(m, out, X4, [&](int i, Lane sum) { other[i] = sum + rest(group, i); });
      for (int i = 0; i < m; ++i) other[i * m + i] += inverse_factorial[4 * group];
      Lane* const swap = other;
      other = out;
      out = swap;
    }
    for (int s = 0; s < most_squarings && Math::any(squarings > s ? Math::all(1) : Math::all(0)); ++s) {
      const auto again = squarings > s;
      multiply(m, out, out, [&](int i, Lane sum) { other[i] = again ? sum : out[i]; });
      Lane* const swap = other;
      other = out;
      out = swap;
    }
    if (out != Math::at(E))
      for (int i = 0; i < size; ++i) Math::at(E)[i] = out[i];
  }

  /// y = Ex
  static void apply(int m, const double* E, const double* x, double* y) {
    for (int i = 0; i < m; i += 4) {
      Lane sum[4] = {};
      for (int k = 0; k < m; ++k)
#pragma GCC unroll 4
        for (int a = 0; a < 4; ++a) sum[a] += Math::at(E)[(i + a) * m + k] * Math::at(x)[k];
      for (int a = 0; a < 4; ++a) Math::at(y)[i + a] = sum[a];
    }
  }

 private:
  static constexpr double most = 0.7;
  static constexpr int most_squarings = 60;  ///< what is larger overflows
  static constexpr double inverse_factorial[degree + 1] = {1.0,
                                                           1.0,
                                                           1.0 / 2,
                                                           1.0 / 6,
                                                           1.0 / 24,
                                                           1.0 / 120,
                                                           1.0 / 720,
                                                           1.0 / 5040,
                                                           1.0 / 40320,
                                                           1.0 / 362880,
                                                           1.0 / 3628800,
                                                           1.0 / 39916800,
                                                           1.0 / 479001600,
                                                           1.0 / 6227020800.0,
                                                           1.0 / 87178291200.0,
                                                           1.0 / 1307674368000.0,
                                                           1.0 / 20922789888000.0};

  /// √(‖A‖₁‖A‖_∞) ≥ ‖A‖₂
  static Lane bound(int m, const Lane* A) {
    Lane rows = Math::all(0), columns = Math::all(0);
    for (int i = 0; i < m; ++i) {
      Lane row = Math::all(0), column = Math::all(0);
      for (int k = 0; k < m; ++k) {
        row += Math::abs(A[i * m + k]);
        column += Math::abs(A[k * m + i]);
      }
      rows = Math::max(rows, row);
      columns = Math::max(columns, column);
    }
    return Math::sqrt(rows * columns);
  }

  /// store(i, (AB)_i) for every entry; in squares of sums that the registers hold.
  template <class Store>
  static void multiply(int m, const Lane* A, const Lane* B, const Store& store) {
    constexpr int rows = W >= 8 ? 4 : 2, columns = 4;
    for (int i = 0; i < m; i += rows)
      for (int j = 0; j < m; j += columns) {
        Lane sum[rows][columns] = {};
        for (int k = 0; k < m; ++k)
#pragma GCC unroll 4
          for (int a = 0; a < rows; ++a)
#pragma GCC unroll 4
            for (int b = 0; b < columns; ++b) sum[a][b] += A[(i + a) * m + k] * B[k * m + j + b];
        for (int a = 0; a < rows; ++a)
          for (int b = 0; b < columns; ++b) store((i + a) * m + j + b, sum[a][b]);
      }
  }
};

}  // namespace stiffly
