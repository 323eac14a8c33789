// Bodies from surfaces: any closed one, also a dirty one, filled with tetrahedra.
#pragma once

#include "stiffly/mesh/mesh.hpp"

namespace stiffly::mesh {

/// The inside of the surface as tetrahedra of positive volume and about equal size, with about `particles`
/// points (within 2 %, or 8 % where flat walls along the axes let whole layers come and go), and their
/// surface as triangles counterclockwise from outside. What inside is, the generalised winding number says:
/// duplicate points, holes, crossing parts and triangles turned the wrong way do no harm. Dihedral angles are
/// above 8 degrees; edges and corners of the surface are cut off by a fraction of the tetrahedra's size.
/// Notes say what was repaired, a warning what was left out.
///
/// Throws InputError if there are no triangles, if they enclose nothing, or if the body has parts too thin
/// for so few particles.
Mesh fill_surface(const Mesh& surface, int particles);

}  // namespace stiffly::mesh
