#pragma once

#include <string_view>

namespace stiffly {

/// major.minor.patch. The one place that says it: the build reads the number from this line.
inline constexpr std::string_view version = "0.1.0";

}  // namespace stiffly
