// What a user should know of a result that was computed all the same.
#pragma once

#include <string>
#include <vector>

namespace stiffly {

/// As data: programs print warnings, the library only collects them.
struct Warning {
  std::string kind;     ///< a name that scripts can look for: "nothing-pinned"
  std::string message;  ///< one line: what is the matter, and the remedy

  /// "MESSAGE [KIND]"
  std::string text() const { return message + " [" + kind + "]"; }
};

using Warnings = std::vector<Warning>;

}  // namespace stiffly
