#include "stiffly/linalg/symmetric_eigen.hpp"

#include <cmath>

namespace stiffly {
namespace {

/// Of two times n numbers, `apart` from one to the next: a, b ← ca − sb, sa + cb.
template <int n, int apart>
void rotate(double* a, double* b, double c, double s) {
  for (int k = 0; k < n; ++k) {
    const double old = a[apart * k];
    a[apart * k] = c * old - s * b[apart * k];
    b[apart * k] = s * old + c * b[apart * k];
  }
}

}  // namespace

// Jacobi's rotations, one after the other, until nothing is left beside the diagonal. [Golub, Van Loan 2013,
// §8.5]
template <int n>
void diagonalise(double* A, double* V) {
  constexpr int sweeps = 30;  // six or so suffice
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double beside = 0, diagonal = 0;
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q) (p == q ? diagonal : beside) += A[n * p + q] * A[n * p + q];
    if (!(beside > 1e-32 * diagonal)) return;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        if (!(A[n * p + q] * A[n * p + q] > 1e-34 * diagonal)) continue;
        const double cotangent = (A[n * q + q] - A[n * p + p]) / (2 * A[n * p + q]);  // of twice the angle
        const double t =
            (cotangent < 0 ? -1 : 1) / (std::abs(cotangent) + std::sqrt(1 + cotangent * cotangent));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        rotate<n, n>(A + p, A + q, c, s);
        rotate<n, 1>(A + n * p, A + n * q, c, s);
        A[n * p + q] = A[n * q + p] = 0;  // but for round-off
        rotate<n, 1>(V + n * p, V + n * q, c, s);
      }
  }
}
template void diagonalise<3>(double*, double*);
template void diagonalise<6>(double*, double*);
template void diagonalise<9>(double*, double*);

}  // namespace stiffly
