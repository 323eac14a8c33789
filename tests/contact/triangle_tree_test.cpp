// The nearest of many triangles, against looking at all of them.
#include "stiffly/contact/triangle_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stiffly {
namespace {

using Eigen::Vector3d;

TEST(TriangleTree, FindsTheNearestOfAll) {
  std::mt19937 random(20);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto anywhere = [&] { return Vector3d(uniform(random), uniform(random), uniform(random)); };
  for (const int count : {1, 7, 203}) {
    std::vector<Vector3d> points;
    std::vector<Triangle> triangles;
    for (int i = 0; i < count; ++i) {
      const Vector3d middle = 3 * anywhere() + Vector3d(0, 0, 1e3);
      const int first = static_cast<int>(points.size());
      for (int c = 0; c < 3; ++c) points.emplace_back(middle + 0.2 * anywhere());
      if (i % 5 == 1) points.back() = points[points.size() - 2];  // no area, as at the pole of a ball
      triangles.push_back({first, first + 1, first + 2});
    }
    const TriangleTree tree(points, triangles);
    for (int k = 0; k < 131; ++k) {
      const Vector3d x = 4 * anywhere() + Vector3d(0, 0, 1e3);
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < triangles.size(); ++i) {
        const TriangleCorners c = tree.corners(i);
        const Vector3d w = nearest_weights(x, c);
        least = std::min(least, (w[0] * c[0] + w[1] * c[1] + w[2] * c[2] - x).norm());
      }
      const auto found = tree.nearest(x);
      ASSERT_TRUE(found);
      EXPECT_NEAR(found->offset.norm(), least, 1e-12);
      const TriangleCorners c = tree.corners(found->triangle);
      const Vector3d& w = found->weights;
      EXPECT_LT((x - found->offset - (w[0] * c[0] + w[1] * c[1] + w[2] * c[2])).norm(), 1e-12);
      EXPECT_TRUE(tree.nearest(x, 1.01 * least));
      EXPECT_FALSE(tree.nearest(x, 0.99 * least));
    }
  }
  EXPECT_FALSE(TriangleTree().nearest({0, 0, 0}));
}

}  // namespace
}  // namespace stiffly
