// How many tetrahedra lie across a body, where they are few.
#pragma once

#include <array>
#include <span>

#include "stiffly/system/elements.hpp"

namespace stiffly::mesh {

/// Linear tetrahedra have one strain each: where so few of them lie across a body, they cannot show that one
/// side is stretched while the other is compressed, and bending comes out too stiff (shear locking).
inline constexpr int few_tetrahedra = 5;

/// Shares of all tetrahedra that lie where the body is at most 1, 2, … few_tetrahedra thick.
std::array<double, few_tetrahedra> thin_shares(std::span<const Tetrahedron> tetrahedra);

/// By how much less a slender beam sags that is so many cells of six tetrahedra thick: c/(n² + c).
double missing_sag(int thickness);

}  // namespace stiffly::mesh
