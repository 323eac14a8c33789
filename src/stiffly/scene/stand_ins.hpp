// Closed surfaces in the form of a bunny and a dragon, made here: for machines that cannot get the scanned
// ones.
#pragma once

#include "stiffly/mesh/mesh.hpp"

namespace stiffly {

/// Triangles of a smooth blend of balls and limbs, closed, facing outwards. z is up, the ground is z = 0, the
/// height is 1 m; it looks towards −x. `triangles` is roughly how many there are.
Mesh make_bunny_like(int triangles = 8000);
Mesh make_dragon_like(int triangles = 30'000);

}  // namespace stiffly
