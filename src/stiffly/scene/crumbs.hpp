// Small loose pieces of a body.
#pragma once

#include "stiffly/io/mesh.hpp"

namespace stiffly {

/// Tetrahedra that hang together by faces are a piece. Drops those with less than `share` of all tetrahedra
/// and the points that nothing uses any more; returns how many pieces it dropped.
int drop_crumbs(Mesh& mesh, double share);

}  // namespace stiffly
