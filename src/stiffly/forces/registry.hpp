// The forces that there are, for listings.
#pragma once

#include <span>
#include <string>

namespace stiffly {

struct ForceInfo {
  std::string name;     ///< as Force::name says it
  std::string summary;  ///< one line
  std::string keys;     ///< how a scene asks for it
};

/// All of them; the tests of forces compare this table with the forces they run through.
std::span<const ForceInfo> forces();

}  // namespace stiffly
