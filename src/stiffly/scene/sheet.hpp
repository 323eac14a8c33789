// A rectangular cloth: particles in rows, the three kinds of edges of a mass-spring cloth, and triangles.
#pragma once

#include <array>
#include <Eigen/Core>
#include <utility>
#include <vector>

namespace stiffly {

/// The defaults are the full size of the scene `flag`.
struct SheetParameters {
  int rows = 50, columns = 70;        ///< particles
  double width = 1.4, height = 0.98;  ///< m; with the default counts the meshes are close to square
};

/// In the plane y = 0, hanging from z = 0: columns run along x, rows down. Particle `column` of `row` has the
/// number row · columns + column.
struct Sheet {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<int, 3>>
      triangles;  ///< facing −y; their diagonals alternate, so that none is preferred
  std::vector<std::pair<int, int>> stretch;  ///< between neighbours in a row or column
  std::vector<std::pair<int, int>> shear;    ///< both diagonals of every mesh
  std::vector<std::pair<int, int>> bend;     ///< between next but one in a row or column
  std::vector<int> pole;                     ///< the particles of the first column, top to bottom
};

/// Throws InputError for fewer than two rows or columns, more than 50 million particles, or lengths that are
/// not positive.
Sheet make_sheet(const SheetParameters& parameters = {});

}  // namespace stiffly
