// motion.png: a run at a glance.
#pragma once

#include <string>

#include "stiffly/results/recorder.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {

/// The bytes of a PNG: the body at a few times side by side, or curves of the unknowns over time where they
/// are not those of particles.
std::string motion_png(const Scene& scene, const Record& record);

}  // namespace stiffly
