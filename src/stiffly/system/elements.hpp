// Names for the corners of elements, by the numbers of their particles.
#pragma once

#include <array>

namespace stiffly {

using Point = std::array<double, 3>;
using Triangle = std::array<int, 3>;
using Tetrahedron = std::array<int, 4>;

}  // namespace stiffly
