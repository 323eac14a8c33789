// Surfaces as people find them, made fit to tell inside from outside.
#pragma once

#include "stiffly/mesh/mesh.hpp"

namespace stiffly::mesh {

/// What was done to a surface.
struct SurfaceRepair {
  int merged_points = 0;      ///< that lay on others
  int dropped_triangles = 0;  ///< without area, or there more than once
  int turned_triangles = 0;   ///< that faced the wrong way
};

/// Merges points closer than 1e-9 of the surface's size, drops triangles that have become lines, and turns
/// triangles so that neighbours agree and the whole faces outwards. A part that agrees with itself keeps its
/// side, so that cavities stay cavities. Tetrahedra are dropped.
SurfaceRepair repair_surface(Mesh& surface);

}  // namespace stiffly::mesh
