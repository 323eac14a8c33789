#include "stiffly/linalg/symmetric_eigen.hpp"

#include <cmath>

namespace stiffly {
namespace {

/// Of two times n numbers, `apart` from one to the next: a, b ← ca − sb, sa + cb.
void rotate(double* a, double* b, int n, int apart, double c, double s) {
  for (int k = 0; k < n; ++k, a += apart, b += apart) {
    const double old = *a;
    *a = c * old - s * *b;
    *b = s * old + c * *b;
  }
}

}  // namespace

// Jacobi's rotations, one after the other, until nothing is left beside the diagonal. [Golub, Van Loan 2013, §8.5]
void diagonalise(double* A, double* V, int n) {
  constexpr int sweeps = 30;  // six or so suffice
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double beside = 0, all = 0;
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q) (p == q ? all : beside) += A[n * p + q] * A[n * p + q];
    if (!(beside > 1e-34 * all)) return;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        if (A[n * p + q] == 0) continue;
        const double cotangent = (A[n * q + q] - A[n * p + p]) / (2 * A[n * p + q]);  // of twice the angle
        const double t = (cotangent < 0 ? -1 : 1) / (std::abs(cotangent) + std::sqrt(1 + cotangent * cotangent));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        rotate(A + p, A + q, n, n, c, s);
        rotate(A + n * p, A + n * q, n, 1, c, s);
        rotate(V + n * p, V + n * q, n, 1, c, s);
      }
  }
}

}  // namespace stiffly
