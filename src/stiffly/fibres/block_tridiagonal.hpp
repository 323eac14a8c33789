// Symmetric block-tridiagonal matrices of 12×12 blocks, W of them at once: those of fibres, whose
// cross-sections are coupled to their neighbours only.
#pragma once

#include "stiffly/fibres/lanes.hpp"

namespace stiffly {

template <int W>
struct BlockTridiagonal {
  using Lane = Lanes<W>;
  using Math = LaneMath<W>;
  static constexpr int size = 12;

  /// The rows of a cross-section up to the diagonal: [coupling to the section before | lower triangle]. The
  /// first 12 columns of the first panel and all above the diagonal are never touched.
  using Panel = Lane[size][2 * size];

  /// A = LDLᵀ in place, L with ones on its diagonal, inverse_pivots = D⁻¹. A need not be positive definite.
  /// There is no pivoting: `failed` is 1 in lanes where a pivot was lost in rounding or is not a number, else
  /// 0, and there the factor is of no use.
  static void factor(int sections, Panel* panels, Lane* inverse_pivots, Lane* failed) {
    *failed = Math::all(0);
    for (int s = 0; s < sections; ++s) {
      Lane X[size][2 * size];  // LD of these rows
      if (s > 0)
        for (int j = 0; j < size; j += tile) {
          const Columns above{&panels[s - 1][j][size], inverse_pivots + (s - 1) * size + j};
          for (int i = 0; i < size; i += tile) eliminate(panels[s], X, i, j, 0, j, above);
        }
      const int first = s > 0 ? 0 : size;
      Lane* inverse = inverse_pivots + s * size;
      for (int j = size; j < 2 * size; j += tile) {
        const int row = j - size;
        factor_tile(panels[s], X, row, first, inverse + row, failed);
        for (int i = row + tile; i < size; i += tile)
          eliminate(panels[s], X, i, j, first, j, {&panels[s][row][0], inverse + row});
      }
    }
  }

  /// x ← A⁻¹ x with the factor.
  static void solve(int sections, const Panel* L, const Lane* inverse_pivots, Lane* x) {
    Lane r[size];
    for (int s = 0; s < sections; ++s) {
      Lane* own = x + s * size;
      for (int i = 0; i < size; ++i) r[i] = own[i];
      if (s > 0)
        for (int k = 0; k < size; ++k) {
          const Lane before = own[k - size];
          for (int i = 0; i < size; ++i) r[i] -= L[s][i][k] * before;
        }
#pragma GCC unroll 12
      for (int j = 0; j < size; ++j) {
        own[j] = r[j];
#pragma GCC unroll 12
        for (int i = j + 1; i < size; ++i) r[i] -= L[s][i][size + j] * r[j];
      }
    }
    for (int s = sections - 1; s >= 0; --s) {
      Lane* own = x + s * size;
      for (int j = 0; j < size; ++j) r[j] = own[j] * inverse_pivots[s * size + j];
      if (s + 1 < sections)
        for (int i = 0; i < size; ++i) {
          const Lane after = own[size + i];
          for (int j = 0; j < size; ++j) r[j] -= L[s + 1][i][j] * after;
        }
#pragma GCC unroll 12
      for (int i = size - 1; i >= 0; --i) {
        own[i] = r[i];
#pragma GCC unroll 12
        for (int j = 0; j < i; ++j) r[j] -= L[s][i][size + j] * r[i];
      }
    }
  }

  /// y ← A x
  static void multiply(int sections, const Panel* A, const Lane* x, Lane* y) {
    for (int s = 0; s < sections; ++s) {
      const Lane* own = x + s * size;
      Lane sum[size];
      for (int i = 0; i < size; ++i) sum[i] = Math::all(0);
      if (s > 0)
        for (int k = 0; k < size; ++k) {
          const Lane before = own[k - size];
          for (int i = 0; i < size; ++i) sum[i] += A[s][i][k] * before;
        }
#pragma GCC unroll 12
      for (int i = 0; i < size; ++i) {
        sum[i] += A[s][i][size + i] * own[i];
#pragma GCC unroll 12
        for (int j = 0; j < i; ++j) {
          const Lane entry = A[s][i][size + j];
          sum[i] += entry * own[j];
          sum[j] += entry * own[i];
        }
      }
      if (s + 1 < sections)
        for (int i = 0; i < size; ++i) {
          const Lane after = own[size + i];
          for (int j = 0; j < size; ++j) sum[j] += A[s + 1][i][j] * after;
        }
      for (int i = 0; i < size; ++i) y[s * size + i] = sum[i];
    }
  }

 private:
  /// Registers for a square of sums, and for a row and a column of factors beside it.
  static constexpr int tile = W >= 8 ? 4 : 3;
  static constexpr double lost = 2e-15;  ///< of the diagonal entry: a pivot that rounding has made
  using Tile = Lane[tile][tile];

  /// Rows of L that `tile` columns of A belong to, and their inverse pivots.
  struct Columns {
    const Lane* rows;  ///< 2·size apart
    const Lane* inverse_pivots;
    Lane at(int row, int k) const { return rows[row * 2 * size + k]; }
  };

  /// sum − Σ_k X_ik L_jk over k in [first, last)
  static void subtract(const Lane (&X)[size][2 * size], int i, const Columns& L, int first, int last,
                       Tile& sum) {
    for (int k = first; k < last; ++k)
#pragma GCC unroll 4
      for (int a = 0; a < tile; ++a)
#pragma GCC unroll 4
        for (int b = 0; b < tile; ++b) sum[a][b] -= X[i + a][k] * L.at(b, k);
  }

  /// X_ij = A_ij − Σ_{k<j} X_ik L_jk and L_ij = X_ij/d_j, in a square beside or below the diagonal. `last` is
  /// where its columns begin in the rows of L.
  static void eliminate(Panel& A, Lane (&X)[size][2 * size], int i, int j, int first, int last,
                        const Columns& L) {
    Tile sum;
#pragma GCC unroll 4
    for (int a = 0; a < tile; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < tile; ++b) sum[a][b] = A[i + a][j + b];
    subtract(X, i, L, first, last, sum);
#pragma GCC unroll 4
    for (int b = 0; b < tile; ++b)
#pragma GCC unroll 4
      for (int a = 0; a < tile; ++a) {
#pragma GCC unroll 4
        for (int c = 0; c < b; ++c) sum[a][b] -= sum[a][c] * L.at(b, last + c);
        X[i + a][j + b] = sum[a][b];
        A[i + a][j + b] = sum[a][b] * L.inverse_pivots[b];
      }
  }

  /// The same on the diagonal, where d_j = X_jj.
  static void factor_tile(Panel& A, Lane (&X)[size][2 * size], int row, int first, Lane* inverse,
                          Lane* failed) {
    const int j = size + row;
    Tile sum, L;
#pragma GCC unroll 4
    for (int a = 0; a < tile; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < tile; ++b) sum[a][b] = A[row + (a > b ? a : b)][j + (a > b ? b : a)];
    Lane diagonal[tile];
    for (int a = 0; a < tile; ++a) diagonal[a] = Math::abs(sum[a][a]);
    const Columns own{&A[row][0], inverse};
    subtract(X, row, own, first, j, sum);
#pragma GCC unroll 4
    for (int b = 0; b < tile; ++b) {
#pragma GCC unroll 4
      for (int a = b; a < tile; ++a)
#pragma GCC unroll 4
        for (int c = 0; c < b; ++c) sum[a][b] -= sum[a][c] * L[b][c];
      const Lane pivot = sum[b][b];
      *failed = Math::abs(pivot) > lost * diagonal[b] ? *failed : Math::all(1);
      inverse[b] = 1.0 / pivot;
#pragma GCC unroll 4
      for (int a = b + 1; a < tile; ++a) {
        L[a][b] = sum[a][b] * inverse[b];
        X[row + a][j + b] = sum[a][b];
        A[row + a][j + b] = L[a][b];
      }
    }
  }
};

}  // namespace stiffly
