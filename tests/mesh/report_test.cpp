// Reports of meshes whose facts are known by hand.
#include "stiffly/mesh/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace stiffly {

using namespace mesh;
namespace {

/// A regular tetrahedron of edge 1, as four triangles and as itself.
Mesh regular() {
  Mesh mesh;
  mesh.points = {
      {0, 0, 0}, {1, 0, 0}, {0.5, std::sqrt(3.0) / 2, 0}, {0.5, std::sqrt(3.0) / 6, std::sqrt(2.0 / 3)}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return mesh;
}

TEST(MeshReport, RegularTetrahedronAsASurface) {
  const MeshReport r = inspect(regular());
  EXPECT_EQ(r.components, 1);
  EXPECT_TRUE(r.closed());
  EXPECT_NEAR(r.area, std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(r.volume, std::sqrt(2.0) / 12, 1e-14);
  EXPECT_NEAR(r.triangle_quality.smallest, 1, 1e-12);
  EXPECT_EQ(std::accumulate(r.triangle_quality.counts.begin(), r.triangle_quality.counts.end(), 0), 4);
  EXPECT_NE(describe(r).find("closed, and nothing is wrong with it"), std::string::npos) << describe(r);
}

TEST(MeshReport, RegularTetrahedronAsABody) {
  Mesh mesh = regular();
  mesh.triangles.clear();
  mesh.tetrahedra = {{0, 1, 2, 3}};
  const MeshReport r = inspect(mesh);
  EXPECT_NEAR(r.tetrahedron_quality.mean, 1, 1e-12);
  EXPECT_NEAR(r.dihedral_angles.smallest, 70.528779, 1e-5);
  EXPECT_NEAR(r.dihedral_angles.largest, 70.528779, 1e-5);
  EXPECT_NEAR(r.volume, std::sqrt(2.0) / 12, 1e-14);
  EXPECT_NEAR(r.area, std::sqrt(3.0), 1e-14);
  EXPECT_EQ(r.inverted_tetrahedra, 0);
}

TEST(MeshReport, FindsWhatIsWrong) {
  Mesh mesh = regular();
  mesh.triangles.pop_back();                              // three open edges
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);  // two edges at odds
  MeshReport r = inspect(mesh);
  EXPECT_EQ(r.open_edges, 3);
  EXPECT_EQ(r.inconsistent_edges, 2);
  EXPECT_FALSE(r.closed());

  mesh = regular();
  mesh.points.push_back(mesh.points[0]);
  mesh.points.emplace_back(0.5, 0, 0);
  mesh.points.emplace_back(9, 9, 9);
  mesh.triangles.push_back({0, 1, 5});  // no area, and edge 0–1 now has three
  mesh.triangles.push_back({2, 0, 1});
  mesh.tetrahedra = {{0, 1, 3, 2}, {0, 1, 5, 2}};
  r = inspect(mesh);
  EXPECT_EQ(r.duplicate_points, 1);
  EXPECT_EQ(r.unused_points, 2);
  EXPECT_EQ(r.degenerate_triangles, 1);
  EXPECT_EQ(r.repeated_elements, 1);
  EXPECT_EQ(r.inverted_tetrahedra, 1);
  EXPECT_EQ(r.degenerate_tetrahedra, 1);
  EXPECT_GE(r.non_manifold_edges, 1);
  EXPECT_NE(describe(r).find("1 points equal to others: filling merges them"), std::string::npos)
      << describe(r);
}

TEST(MeshReport, CountsPieces) {
  Mesh mesh = regular();
  for (int i = 0; i < 4; ++i)
    mesh.points.push_back(mesh.points[static_cast<std::size_t>(i)] + Eigen::Vector3d(5, 0, 0));
  for (int i = 0; i < 4; ++i) {
    auto t = mesh.triangles[static_cast<std::size_t>(i)];
    for (int& corner : t) corner += 4;
    mesh.triangles.push_back(t);
  }
  EXPECT_EQ(inspect(mesh).components, 2);
  EXPECT_EQ(inspect(Mesh{}).components, 0);
}

}  // namespace
}  // namespace stiffly
