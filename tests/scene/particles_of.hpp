// Bodies as systems of particles.
#pragma once

#include "stiffly/scene/body.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

inline const ParticleSystem& particles_of(const Body& body) {
  return dynamic_cast<const ParticleSystem&>(*body.system);
}

}  // namespace stiffly
