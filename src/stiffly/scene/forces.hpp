// The forces that scenes can use, for listings.
#pragma once

#include <span>
#include <string>

namespace stiffly {

struct ForceInfo {
  std::string name;
  std::string summary;  ///< one line
  std::string keys;     ///< how a scene asks for it
};

std::span<const ForceInfo> forces();

}  // namespace stiffly
