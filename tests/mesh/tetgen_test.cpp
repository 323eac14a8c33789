// TetGen as a program, where it is installed.
#include "stiffly/mesh/tetgen.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "stiffly/error.hpp"
#include "stiffly/mesh/report.hpp"

namespace stiffly {

using namespace mesh;
namespace {

Mesh cube() {
  Mesh out;
  for (int i = 0; i < 8; ++i) out.points.emplace_back(i & 1, i >> 1 & 1, i >> 2);
  out.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return out;
}

TEST(Tetgen, FillsACleanSurface) {
  if (!has_tetgen()) GTEST_SKIP() << "tetgen is not installed";
  const Mesh body = fill_with_tetgen(cube(), 0.01);
  const MeshReport report = inspect(body);
  EXPECT_GT(report.tetrahedra, 100);
  EXPECT_NEAR(report.volume, 1, 1e-9);
  EXPECT_EQ(report.inverted_tetrahedra, 0);
}

TEST(Tetgen, ASurfaceItRefusesIsAnInputError) {
  if (!has_tetgen()) GTEST_SKIP() << "tetgen is not installed";
  Mesh crossing = cube();
  for (const auto& x : cube().points) crossing.points.push_back(x + Eigen::Vector3d(0.5, 0.3, 0.2));
  for (auto t : cube().triangles) {
    for (int& corner : t) corner += 8;
    crossing.triangles.push_back(t);
  }
  EXPECT_THROW(fill_with_tetgen(crossing), InputError);
}

TEST(Tetgen, MissingProgramIsNamedWithTheRemedy) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  std::string message;
  try {
    fill_with_tetgen(cube());
  } catch (const InputError& error) {
    message = error.what();
  }
  setenv("PATH", path.c_str(), 1);
  EXPECT_NE(message.find("apt install tetgen"), std::string::npos) << message;
}

}  // namespace
}  // namespace stiffly
