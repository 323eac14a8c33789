// Estimates of errors against what they are of motions whose derivatives are known.
#include "stiffly/fibres/batch_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fibres/random_fibres.hpp"
#include "stiffly/fibres/batch_choice.hpp"

namespace stiffly::test {
namespace {

class Estimate : public ::testing::Test {
 protected:
  /// a(i) as entries of a lane of free particles.
  void set(double* array, int lane, const auto& a) const {
    for (int i = 0; i < batch::section_size * batch_.sections(); ++i) array[2 * i + lane] = a(i);
  }
  /// ‖a‖ in the mass norm.
  double norm(int lane, const auto& a) const {
    double sum = 0;
    for (int i = 0; i < batch::section_size * batch_.segments(lane); ++i)
      sum += fibres_[static_cast<std::size_t>(lane)].shape.mass[static_cast<std::size_t>(i / 3 + 4)] * a(i) *
             a(i);
    return std::sqrt(sum);
  }

  std::vector<MovingFibre> fibres_ = {random_fibre(31), random_fibre(32)};
  FibreBatch batch_{batch_kernels(2), fibres_, test_gravity};
  BatchWorkspace workspace_{2, batch_.sections()};
  double* x_ = batch_.view().x + 2 * batch::section_size;
};

// h³/2 x‴/6 of cubic motions, at any times and in any order of the states kept.
TEST_F(Estimate, IsExactForCubicMotions) {
  const auto cube = [](int i) { return 1 + std::sin(1.3 * i); };
  const auto position = [&](int i, double t) {
    return 0.3 - 0.7 * t + std::cos(i) * t * t + cube(i) * t * t * t;
  };
  const std::array<double, 3> past = {0.31, 0.13, 0.22};
  const double time = 0.31, h = 0.17;
  for (int lane = 0; lane < 2; ++lane) {
    for (int slot = 0; slot < 3; ++slot)
      set(batch_.past(slot), lane, [&](int i) { return position(i, past[static_cast<std::size_t>(slot)]); });
    set(x_, lane, [&](int i) { return position(i, time + h); });
  }
  BatchEstimate estimate(batch_, workspace_);
  estimate.difference(1, time, h, past);
  const StepNorms norms = estimate.norms();
  EXPECT_NEAR(norms.position_error[1], h * h * h / 2 * norm(1, cube), 1e-12 * norm(1, cube));
  EXPECT_EQ(norms.position_error[0], 0);
  EXPECT_EQ(norms.velocity_error[1], 0);
}

TEST_F(Estimate, ComparesTwoStepsWithOne) {
  const auto x = [](int i) { return std::sin(i); };
  const auto v = [](int i) { return std::cos(1.7 * i); };
  const auto start = [&](int i) { return batch_.start()[2 * i]; };
  set(x_, 0, [&](int i) { return start(i) + x(i); });
  set(workspace_.whole_x, 0, [&](int i) { return start(i) + 0.1 * x(i); });
  set(batch_.view().v, 0, v);
  set(workspace_.whole_v, 0, [&](int i) { return 1.6 * v(i); });
  BatchEstimate estimate(batch_, workspace_);
  estimate.compare(0);
  const StepNorms norms = estimate.norms();
  EXPECT_NEAR(norms.position_error[0], 0.3 * norm(0, x), 1e-12 * norm(0, x));
  EXPECT_NEAR(norms.velocity_error[0], 0.2 * norm(0, v), 1e-12 * norm(0, v));
  EXPECT_NEAR(norms.displacement[0], norm(0, x), 1e-12 * norm(0, x));
  EXPECT_NEAR(norms.speed[0], norm(0, v), 1e-12 * norm(0, v));
  const double h[] = {0.7, 0.3};
  const PathNorms path = path_norms(batch_, h);
  EXPECT_NEAR(path.speed[0], norm(0, v), 1e-12 * norm(0, v));
  EXPECT_NEAR(path.distance[0], norm(0, [&](int i) { return start(i) + x(i) + 0.7 * v(i); }),
              1e-12 * norm(0, x));
}

}  // namespace
}  // namespace stiffly::test
