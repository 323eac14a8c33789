// What yields, as scene files ask for it.
#pragma once

#include <vector>

#include "stiffly/scene/scene_file.hpp"

namespace stiffly {

class ParticleSystem;

/// The keys of [plasticity].
std::vector<Key> plasticity_keys();

/// Whether anything is to yield.
bool has_plasticity(const SceneFile& file);

/// Springs, girders and fibres of the system yield from now on. Throws InputError where it has none.
void add_plasticity(const SceneFile& file, ParticleSystem& system);

}  // namespace stiffly
