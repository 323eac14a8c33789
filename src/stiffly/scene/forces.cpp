#include "stiffly/scene/forces.hpp"

#include <array>

namespace stiffly {

std::span<const ForceInfo> forces() {
  static const std::array<ForceInfo, 2> all = {{
      {"springs", "between two particles, linear or cubic, each with an optional dashpot",
       "[[spring]], or a model that makes them"},
      {"gravity", "a uniform field of acceleration", "simulation.gravity"},
  }};
  return all;
}

}  // namespace stiffly
