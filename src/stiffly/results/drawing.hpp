// What of a scene can be drawn, and what its springs and particles are made of.
#pragma once

#include "stiffly/results/frame_file.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {

Topology topology(const Scene& scene);

}  // namespace stiffly
