// Masses of bodies of tetrahedra.
#pragma once

#include <utility>

#include "stiffly/system/elements.hpp"
#include "stiffly/system/mass_matrix.hpp"

namespace stiffly {

/// A quarter of each tetrahedron's mass to each of its corners, one entry per particle. `densities` in kg/m³:
/// one for all tetrahedra or one for each (inhomogeneous bodies, paper 000 App. A). Throws InputError (naming
/// the tetrahedron) on volumes or densities that are not positive and finite.
std::vector<double> lumped_masses(std::span<const Tetrahedron> tetrahedra, std::span<const Point> positions,
                                  std::span<const double> densities);

/// The same as the diagonal matrix of the first `free` particles.
MassMatrix lumped_mass(std::span<const Tetrahedron> tetrahedra, std::span<const Point> positions,
                       std::span<const double> densities, std::size_t free);

/// A mass matrix with the pairs of particles it couples, as ParticleSystem::set_mass takes them.
struct CoupledMass {
  MassMatrix matrix;
  std::vector<std::pair<int, int>> pairs;
};

/// The consistent mass M_ab = ∫ ρ N_a N_b = ρV/20 (1 + δ_ab) of the first `free` particles: not diagonal, so
/// that the square root of M⁻¹K needs the scaling of paper 000 App. A. What it couples to prescribed
/// particles is left out: exact where these do not accelerate.
CoupledMass consistent_mass(std::span<const Tetrahedron> tetrahedra, std::span<const Point> positions,
                            std::span<const double> densities, std::size_t free);

}  // namespace stiffly
