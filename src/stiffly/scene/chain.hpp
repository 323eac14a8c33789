// A hanging chain (or a hair): particles in a row, nearly inextensible, with a little resistance to bending.
#pragma once

#include <memory>

#include "stiffly/forces/springs.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

/// The defaults are the scene `chain`, a hard one for exponential integrators: large rotations within a step.
struct ChainParameters {
  int particles = 30;
  double spacing = 0.05;   ///< m
  double mass = 0.01;      ///< of each particle, kg
  double stiffness = 1e5;  ///< between neighbours, N/m
  double bending = 1e1;    ///< between next neighbours, N/m
  double damping = 0;      ///< of the former, N s/m
  std::array<double, 3> gravity = {0, 0, -9.81};
};

struct Chain {
  Particles particles;  ///< along x, the first pinned
  std::vector<Spring> springs;
};

Chain make_chain(const ChainParameters& parameters = {});
std::unique_ptr<ParticleSystem> make_chain_system(const ChainParameters& parameters = {});

}  // namespace stiffly
