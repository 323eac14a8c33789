// Rigid boxes, as scene files ask for them.
#pragma once

#include <vector>

#include "stiffly/forces/weighted_springs.hpp"
#include "stiffly/scene/value.hpp"
#include "stiffly/system/elements.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

/// The keys of [[rigid]].
std::vector<Key> rigid_keys();

/// What rigid boxes are made of; numbers are the user's.
struct RigidParts {
  std::vector<WeightedSpring> links = {};  ///< which do not yield, whatever the scene says
  std::vector<Triangle> triangles = {};
};

/// A uniform box of mass m has the inertia of nine particles: m/24 in each corner and 2m/3 in its middle.
/// Links between all of them, as stiff as the table says, hold it together: to methods with strains as
/// unknowns it does not matter how stiff, and forces, contact and energies need not know that it is rigid.
/// Its particles come after those that are there: corners, x slowest, then the middle.
void add_rigid_box(const Values& box, Particles& particles, RigidParts& out);

}  // namespace stiffly
