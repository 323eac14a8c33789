// Solid bodies of tetrahedra, of springs or of an elastic material.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <variant>

#include "stiffly/forces/lame.hpp"
#include "stiffly/mesh/mesh.hpp"
#include "stiffly/scene/body.hpp"

namespace stiffly {

/// Every edge a spring. Diagonals, from each corner of a tetrahedron to the centre of the face opposite, keep
/// its volume; a mesh has about twenty of them per particle, so that all together lock the body.
struct SpringSolid {
  double edge = 0;               ///< stiffness of edges, N/m
  double damping = 0;            ///< of edges, N s/m
  double diagonal = 0;           ///< stiffness of diagonals, N/m; 0: none
  double diagonal_fraction = 1;  ///< share of the diagonals that is there, spread evenly over the body
};

enum class ElasticLaw { corotational, stvk, neo_hookean };
struct ElasticSolid {
  ElasticLaw law = ElasticLaw::corotational;
  Lame moduli;
};

struct SolidParameters {
  std::variant<SpringSolid, ElasticSolid> material;
  double density = 1000;     ///< kg/m³; each tetrahedron gives a quarter of its mass to each corner
  double particle_mass = 0;  ///< kg, the same for every particle, instead; 0: by the density
  /// Particles with n·x at most this are held, n the normal at length 1, m.
  double pinned_below = -std::numeric_limits<double>::infinity();
  Eigen::Vector3d pinned_normal = Eigen::Vector3d::UnitZ();
  std::string finer = "a finer mesh";  ///< what makes the tetrahedra smaller, for messages
};

/// The tetrahedra of the mesh as a body; points that no tetrahedron uses are left out. Throws InputError if
/// there are none, if one has no positive volume, or if the normal has no length. Warns where nothing is held
/// although something should be, and where an elastic material is only a tetrahedron or two thick.
Body make_solid(const mesh::Mesh& mesh, const SolidParameters& parameters,
                const std::array<double, 3>& gravity);

enum class Filler {
  lattice,  ///< fill_surface: takes any surface
  tetgen,   ///< the program, where it is installed: keeps the surface, which must be clean
};

/// Volume meshes as they are, surfaces filled with about that many particles.
mesh::Mesh as_volume(mesh::Mesh mesh, int particles, Filler filler = Filler::lattice);

}  // namespace stiffly
