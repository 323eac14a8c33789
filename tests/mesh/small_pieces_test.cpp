#include "stiffly/mesh/small_pieces.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffly {

using namespace mesh;
namespace {

/// A rod of `count` tetrahedra, each sharing a face with the next, whose first point is `first` if that is
/// given.
void add_rod(Mesh& mesh, int count, int first = -1) {
  std::vector<int> points;
  if (first >= 0) points.push_back(first);
  while (static_cast<int>(points.size()) < count + 3) {
    points.push_back(static_cast<int>(mesh.points.size()));
    const double at = static_cast<double>(mesh.points.size());
    mesh.points.emplace_back(std::cos(at), std::sin(at), 0.3 * at);
  }
  for (int t = 0; t < count; ++t) {
    const auto at = [&](int i) { return points[static_cast<std::size_t>(t + i)]; };
    mesh.tetrahedra.push_back({at(0), at(1), at(2), at(3)});
  }
}

TEST(DropSmallPieces, DropsTheTinyAndTheSmallThatSwing) {
  Mesh mesh;
  add_rod(mesh, 1000);
  add_rod(mesh, 30);      // a body of its own
  add_rod(mesh, 30, 0);   // hangs by a point
  add_rod(mesh, 5);       // tiny
  add_rod(mesh, 200, 7);  // hangs by a point, but is large
  const SmallPieces dropped = drop_small_pieces(mesh, 0.01, 0.05);
  EXPECT_EQ(dropped.all, 2);
  EXPECT_EQ(dropped.hinged, 1);
  EXPECT_EQ(dropped.kept, 3);
  EXPECT_EQ(mesh.tetrahedra.size(), 1230u);
  EXPECT_EQ(mesh.points.size(), 1003u + 33 + 202);
  for (const auto& t : mesh.tetrahedra)
    for (const int corner : t) EXPECT_LT(corner, static_cast<int>(mesh.points.size()));
}

TEST(DropSmallPieces, LeavesAWholeBodyAlone) {
  Mesh mesh;
  add_rod(mesh, 40);
  const Mesh before = mesh;
  EXPECT_EQ(drop_small_pieces(mesh, 0.01, 0.05).all, 0);
  EXPECT_EQ(mesh.tetrahedra, before.tetrahedra);
}

}  // namespace
}  // namespace stiffly
