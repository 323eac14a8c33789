// Values of a scene from the command line.
#pragma once

#include "stiffly/scene/scene_file.hpp"

namespace stiffly::app {

/// From `KEY=VALUE`. Throws InputError.
Override parse_override(const std::string& setting);

}  // namespace stiffly::app
