// Rectangular blocks of tetrahedra.
#pragma once

#include "stiffly/mesh/tetrahedra.hpp"

namespace stiffly::mesh {

/// A box from the origin to `size`, divided into cells[0] × cells[1] × cells[2] cuboids.
struct BlockMesh {
  std::vector<Point> positions;
  std::vector<Tetrahedron> tetrahedra;  ///< volumes positive

  /// Each cuboid is cut into the six tetrahedra along its diagonal (Kuhn); neighbours are mirror images, so
  /// that faces fit and no direction is preferred throughout. Throws InputError unless sizes and counts are
  /// positive.
  BlockMesh(const Point& size, const std::array<int, 3>& cells);

  /// The particle at corner (i, j, k) of the cells.
  int at(int i, int j, int k) const { return (i * (cells_[1] + 1) + j) * (cells_[2] + 1) + k; }

 private:
  std::array<int, 3> cells_;
};

}  // namespace stiffly::mesh
