// Particles joined by springs.
#pragma once

#include <memory>
#include <vector>

#include "stiffly/forces/springs.hpp"
#include "stiffly/scene/body.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

/// Any particles, springs (in the particles' order) and a uniform field as a finished system.
std::unique_ptr<ParticleSystem> make_spring_system(const Particles& particles, std::vector<Spring> springs,
                                                   const std::array<double, 3>& gravity);

/// The same with what there is to draw.
Body make_spring_body(const Particles& particles, std::vector<Spring> springs,
                      const std::array<double, 3>& gravity);

}  // namespace stiffly
