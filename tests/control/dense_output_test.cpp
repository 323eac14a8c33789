#include "stiffly/control/dense_output.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffly::test {
namespace {

State on_curve(double t) {
  return State(t, std::vector<double>{std::sin(t), t * t * t - 2 * t},
               std::vector<double>{std::cos(t), 3 * t * t - 2});
}

TEST(DenseOutputTest, IsExactForCubicsAndFourthOrder) {
  double before = 0;
  for (const double h : {0.4, 0.2, 0.1}) {
    const State a = on_curve(1), b = on_curve(1 + h);
    double error = 0;
    for (const double s : {0.0, 0.2, 0.5, 0.9, 1.0}) {
      const State found = interpolate(a, b, 1 + s * h), exact = on_curve(1 + s * h);
      EXPECT_EQ(found.time, 1 + s * h);
      error = std::max(error, std::abs(host(found.x())[0] - host(exact.x())[0]));
      EXPECT_NEAR(host(found.x())[1], host(exact.x())[1], 1e-14);
      EXPECT_NEAR(host(found.v())[1], host(exact.v())[1], 1e-13);
    }
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 4, 0.2);
    }
    before = error;
  }
}

}  // namespace
}  // namespace stiffly::test
