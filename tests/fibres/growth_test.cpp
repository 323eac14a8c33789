// Lines that fibres follow.
#include "stiffly/fibres/growth.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "stiffly/error.hpp"
#include "stiffly/fibres/head.hpp"

namespace stiffly::test {
namespace {

using Eigen::Vector3d;

const GrowthGuide straight = [](const Vector3d&, const Vector3d& along) { return along; };

TEST(Growth, StraightLine) {
  const CentreLine line = grow({1, 2, 3}, {0, 0, -2}, straight, 0.07, 5, {.root = 9e-5, .tip = 4e-5}, {});
  ASSERT_EQ(line.points.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const double s = static_cast<double>(i) / 5;
    EXPECT_NEAR((line.points[i] - Vector3d(1, 2, 3 - 0.07 * s)).norm(), 0, 1e-14);
    EXPECT_NEAR(line.thickness[i], 9e-5 - s * 5e-5, 1e-17);
  }
}

// Many segments of a helix have its length and its distance from the axis.
TEST(Growth, Curl) {
  constexpr double radius = 0.003, pitch = 0.011, length = 0.1;
  const CentreLine line =
      grow({0, 0, 0}, {1, 0, 0}, straight, length, 300, {1e-4, 1e-4}, {radius, pitch, 0.4});
  double sum = 0;
  for (std::size_t i = 1; i < line.points.size(); ++i) sum += (line.points[i] - line.points[i - 1]).norm();
  EXPECT_NEAR(sum, length, 3e-3 * length);
  const Vector3d& tip = line.points.back();
  EXPECT_NEAR(std::hypot(tip.y(), tip.z()), radius, 0.02 * radius);
  // A turn of the helix is √(pitch² + (2πr)²) long; the first one, which is less curled, is shorter.
  const double turn = std::hypot(pitch, 2 * std::numbers::pi * radius);
  EXPECT_GT(tip.x(), pitch * length / turn);
  EXPECT_LT(tip.x(), pitch * (length / turn + 1));
}

TEST(Growth, RootsOfASunflowerAreApart) {
  std::vector<CentreLine> lines;
  for (const Vector3d& root : sunflower(500, {0, 0, 1}, {0.2, 0, 1}, 0.03))
    lines.push_back({{root, root + Vector3d(0, 0, 0.1)}, {1e-3, 1e-3}});
  EXPECT_NO_THROW(check_roots_apart(lines));
  lines[431].points[0] = lines[17].points[0] + Vector3d(9e-4, 0, 0);
  try {
    check_roots_apart(lines);
    FAIL() << "two are in one place";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("fibre 431: its root is inside that of fibre 17"))
        << error.what();
  }
}

// No hair grows on the face, and none goes into the head.
TEST(Head, HairStaysOutside) {
  const Head head;
  for (const Vector3d& direction : scalp(700)) {
    EXPECT_FALSE(direction.y() < -0.5 && direction.z() < 0.3) << direction.transpose();
    const Vector3d root = head.point(direction);
    EXPECT_NEAR(head.height(root), 0, 1e-12);
    const CentreLine line =
        grow(root, head.outwards(root), combed(head, direction, 0.008), 0.2, 9, {9e-5, 4e-5}, {});
    for (std::size_t i = 1; i < line.points.size(); ++i) EXPECT_GT(head.height(line.points[i]), 0);
    EXPECT_LT(line.points.back().z(), root.z()) << "it hangs";
  }
}

TEST(Head, SixtyThousandRootsDoNotOverlap) {
  std::vector<CentreLine> lines;
  for (const Vector3d& direction : scalp(60000)) lines.push_back({{Head().point(direction)}, {9e-5}});
  EXPECT_NO_THROW(check_roots_apart(lines));
}

}  // namespace
}  // namespace stiffly::test
