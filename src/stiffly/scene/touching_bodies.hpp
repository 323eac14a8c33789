// Bodies of a scene that touch each other.
#pragma once

#include "stiffly/scene/body.hpp"
#include "stiffly/scene/scene_file.hpp"

namespace stiffly {

/// Whether [contact] asks for it.
bool bodies_touch(const SceneFile& file);

/// Adds contact between bodies, or of all with all, as `between` of [contact] says: of fibres their centre
/// lines, of what has a surface that, of others their springs and single particles. Throws InputError at its
/// line where bodies overlap at the start.
void add_touching_bodies(const SceneFile& file, Body& body);

}  // namespace stiffly
