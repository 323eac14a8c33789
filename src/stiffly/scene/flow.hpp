// A fluid and motors, as scene files ask for them.
#pragma once

#include "stiffly/scene/body.hpp"
#include "stiffly/scene/scene_file.hpp"

namespace stiffly {

/// The keys of [fluid] and of [[motor]].
std::vector<Key> fluid_keys();
std::vector<Key> motor_keys();

/// Whether the file has a fluid.
bool has_fluid(const SceneFile& file);

/// Adds [fluid] and [[motor]] of the file to a body of particles. Throws InputError at the line of whatever
/// is wrong.
void add_flow(const SceneFile& file, Body& body);

}  // namespace stiffly
