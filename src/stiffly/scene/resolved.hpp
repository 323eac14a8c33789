// A scene's settings as they were in effect, for run.json.
#pragma once

#include <string>

#include "stiffly/scene/scene_file.hpp"

namespace stiffly {

/// A JSON object with the file's sections, defaults included. `integrator` is what "auto" became. Long lists
/// of particles and springs are given by their number only.
std::string resolved_json(const SceneFile& file, const std::string& integrator);

}  // namespace stiffly
