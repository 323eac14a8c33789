// Keys that are given, but change nothing.
#pragma once

#include "stiffly/scene/scene_file.hpp"
#include "stiffly/warning.hpp"

namespace stiffly {

struct SimulationSettings;

/// A warning for each, once the scene is built: keys of [simulation] that are not for its method, and all
/// others that nobody has read. What a file says and the command line has chosen against is no mistake.
Warnings idle_keys(const SceneFile& file, const SimulationSettings& settings);

}  // namespace stiffly
