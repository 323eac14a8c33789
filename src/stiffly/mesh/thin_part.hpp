// How much of a body is only a tetrahedron or two thick.
#pragma once

#include <span>

#include "stiffly/system/elements.hpp"

namespace stiffly::mesh {

/// Linear tetrahedra have one strain each: where so few of them lie across a body, they cannot show that one
/// side is stretched while the other is compressed, and bending comes out too stiff (shear locking).
struct ThinPart {
  double share = 0;   ///< of all tetrahedra
  int thickness = 0;  ///< in tetrahedra across: 1, or 2; 0 where there is no such part
};

/// Where a body is three tetrahedra thick or more, some do not touch its surface: the thin part is what lies
/// further than two neighbours from all of these.
ThinPart thin_part(std::span<const Tetrahedron> tetrahedra);

}  // namespace stiffly::mesh
