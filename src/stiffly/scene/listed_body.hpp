// The body of a scene whose particles, springs, girders and groups of fibres are listed.
#pragma once

#include "stiffly/scene/model.hpp"
#include "stiffly/scene/scene_file.hpp"

namespace stiffly {

/// Throws InputError at the line of whatever does not fit together: ends that do not exist, springs without
/// length, two springs for one.
Body listed_body(const SceneFile& file, const Surroundings& around);

}  // namespace stiffly
