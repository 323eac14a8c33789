// Values of a scene from the command line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stiffly/scene/scene_file.hpp"

namespace stiffly::app {

/// From `KEY=VALUE`. Throws InputError.
Override parse_override(const std::string& setting);
std::vector<Override> parse_overrides(std::span<const std::string> settings);

}  // namespace stiffly::app
