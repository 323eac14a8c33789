// What a scene adds to any body of particles: damping, fields, motions of what is pinned, obstacles, a
// fluid and motors, and that it yields.
#pragma once

#include "stiffly/scene/body.hpp"
#include "stiffly/scene/scene_file.hpp"

namespace stiffly {

/// Adds [plasticity], [damping], [[field]], [[motion]], [[obstacle]], [fluid] and [[motor]] of the file.
/// Throws InputError at the line of whatever is wrong, also where the body has no particles.
void add_surroundings(const SceneFile& file, Body& body);

}  // namespace stiffly
