// TetGen, run as a program where it is installed. (It is under the AGPL: never linked.)
#pragma once

#include "stiffly/mesh/mesh.hpp"

namespace stiffly::mesh {

bool has_tetgen();

/// Tetrahedra that keep the surface's own triangles or split them, with no edge ratio above `ratio` (radius
/// of the circumsphere over shortest edge) and, where positive, no volume above `largest_volume`. For clean
/// closed surfaces; `fill_surface` takes any. Throws InputError if the program is missing or refuses the
/// surface.
Mesh fill_with_tetgen(const Mesh& surface, double largest_volume = 0, double ratio = 1.4);

}  // namespace stiffly::mesh
