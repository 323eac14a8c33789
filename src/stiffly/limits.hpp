// The two numbers at the ends of double precision that many formulas need.
#pragma once

#include <limits>

namespace stiffly {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace stiffly
