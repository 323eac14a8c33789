// The body of a scene whose particles, springs and girders are listed one by one.
#pragma once

#include <array>

#include "stiffly/scene/model.hpp"
#include "stiffly/scene/scene_file.hpp"

namespace stiffly {

/// Throws InputError at the line of whatever does not fit together: ends that do not exist, springs without
/// length, two springs for one.
Body listed_body(const SceneFile& file, const std::array<double, 3>& gravity);

}  // namespace stiffly
