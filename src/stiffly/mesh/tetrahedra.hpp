// Bodies of tetrahedra: their edges, their surface, their volume.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stiffly/system/elements.hpp"

namespace stiffly::mesh {

/// Six times the volume is det(b−a, c−a, d−a); positive where (b, c, d) is seen counterclockwise from outside
/// a.
double signed_volume(const Tetrahedron& tetrahedron, std::span<const Point> positions);

/// Every edge once, the smaller particle first, in ascending order.
std::vector<std::pair<int, int>> edges_of(std::span<const Tetrahedron> tetrahedra);

/// The faces that belong to one tetrahedron only, counterclockwise from outside if all volumes are positive.
std::vector<Triangle> surface_of(std::span<const Tetrahedron> tetrahedra);

/// The smallest angle between two faces of the tetrahedron, in degrees: about 70.5 for a regular one.
double smallest_dihedral_angle(const Tetrahedron& tetrahedron, std::span<const Point> positions);

}  // namespace stiffly::mesh
