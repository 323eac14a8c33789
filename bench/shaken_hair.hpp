// One hair that hangs down and whose root is shaken, as a system of the general library.
#pragma once

#include "stiffly/scene/scene.hpp"

namespace stiffly::bench {

struct ShakenHair {
  double amplitude = 0.05;  ///< of the root along x, at 2 Hz, m; across it moves an eighth of that
  double young = 3.6e9;     ///< Pa
  double damping = 1e-4;    ///< of its dashpots, s
};

/// 20 cm and 8 segments, dashpots, drag; for a second.
Scene shaken_hair(const ShakenHair& hair = {});

/// The middle of its last cross-section.
Eigen::Vector3d tip_of(const State& state);

}  // namespace stiffly::bench
