// Maps of who wins where: a body, and a chain that stands for hair.
#pragma once

#include <string>
#include <vector>

namespace stiffly::app {

struct MapsOptions {
  std::string output = "docs";
  double time_limit = 60, reference_limit = 600;  ///< s of computing for one run, and for a reference
  std::vector<std::string> scenes;                ///< only these; empty: all
  bool again = false;
};

/// OUTPUT/maps.md with the pictures OUTPUT/figures/map-SCENE, from one file per cell under OUTPUT/maps: what
/// is done is not done again.
int maps_of_winners(const MapsOptions& options);

}  // namespace stiffly::app
