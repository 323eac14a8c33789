// Small pieces that are not firmly part of a body.
#pragma once

#include "stiffly/mesh/mesh.hpp"

namespace stiffly::mesh {

/// How many pieces were left out, how many of them for hanging, and how many are there.
struct SmallPieces {
  int all = 0, hinged = 0, kept = 0;
};

/// Tetrahedra that hang together by faces are a piece. Drops those with less than the share `loose` of all
/// tetrahedra, those with less than `hinged` that hang on a larger piece by points or edges, free to swing,
/// and the points that nothing uses any more.
SmallPieces drop_small_pieces(Mesh& mesh, double loose, double hinged);

}  // namespace stiffly::mesh
