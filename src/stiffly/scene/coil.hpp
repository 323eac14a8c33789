// A coil spring: a round wire wound to a helix, filled with tetrahedra whose edges are springs.
#pragma once

#include <memory>
#include <vector>

#include "stiffly/forces/springs.hpp"
#include "stiffly/mesh/tetrahedra.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

/// The defaults are the full size of the scene `coil`; `small_coil()` is the small one.
struct CoilParameters {
  double turns = 5;            ///< windings
  double coil_radius = 0.12;   ///< of the helix the wire's centre follows, m
  double wire_radius = 0.018;  ///< m
  double pitch = 0.12;         ///< rise per turn, m; at least the wire's diameter
  int rings = 2;       ///< of particles around the wire's centre: 1 + 3r(r+1) particles per cross-section
  int sections = 421;  ///< cross-sections; 0: as many as give well-shaped tetrahedra
  double held_turns = 0.5;  ///< of the foot, whose particles are pinned
  double total_mass = 30;   ///< kg, the same for every particle
  double stiffness = 1e6;   ///< of every edge, N/m
  double damping = 0;       ///< of every edge, N s/m
  SpringLaw law = SpringLaw::linear;
  std::array<double, 3> gravity = {0, 0, -2.5};  ///< the field that sets it in motion, m/s²
};

CoilParameters small_coil();

/// The axis is z and the foot is at z = 0. Particles come section by section from the foot up; ends of
/// springs, triangles and tetrahedra are numbers of particles in that order.
struct Coil {
  Particles particles;
  std::vector<Spring> springs;          ///< every edge once, at rest
  std::vector<Triangle> triangles;      ///< the surface, counterclockwise from outside
  std::vector<Tetrahedron> tetrahedra;  ///< all of positive volume
};

/// Throws InputError for parameters that make no coil, such as windings that overlap.
Coil make_coil(const CoilParameters& parameters = {});

/// The coil under its field, ready to use.
std::unique_ptr<ParticleSystem> make_coil_system(const CoilParameters& parameters = {});

}  // namespace stiffly
