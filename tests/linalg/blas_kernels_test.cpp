#include "stiffly/linalg/blas_kernels.hpp"

#include <cblas.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "random_vector.hpp"

namespace stiffly::test {
namespace {

// A·B by OpenBLAS against sums in a loop, before it chooses again and after. The loop's own round-off is the
// bound.
TEST(BlasKernels, AreThoseOfTheProcessorAndComputeTheSame) {
  constexpr int n = 137;
  const Vector first = random_vector(n * n, 3), second = random_vector(n * n, 5);
  const double *a = host(first).data(), *b = host(second).data();
  const auto off = [&] {
    std::vector<double> c(n * n, 0.0);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a, n, b, n, 0.0, c.data(), n);
    double most = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
        most = std::max(most, std::abs(c[i * n + j] - sum));
      }
    return most;
  };
  EXPECT_LT(off(), 1e-13);
  const std::string before = openblas_get_corename();
  choose_blas_kernels();
  const std::string after = openblas_get_corename();
  std::printf("%s, then %s\n", before.c_str(), after.c_str());
  EXPECT_LT(off(), 1e-13);
  choose_blas_kernels();
  EXPECT_EQ(openblas_get_corename(), after);
  if (before != after) {
    EXPECT_EQ(before, "Prescott") << "what OpenBLAS knows stays as it is";
  }
}

}  // namespace
}  // namespace stiffly::test
