// Isosurface stuffing: fills the inside of anything with well-shaped tetrahedra.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <functional>

#include "stiffly/mesh/mesh.hpp"

namespace stiffly::mesh {

/// Whether a point belongs to the body. Called by several threads at once.
using Inside = std::function<bool(const Eigen::Vector3d&)>;

/// Tetrahedra (all positive) of a body-centred cubic lattice with cubes of side `spacing`, kept where
/// `inside`, with lattice points near the surface moved onto it and tetrahedra that it cuts replaced by
/// smaller ones; and their surface as triangles (Labelle and Shewchuk 2007, "Isosurface Stuffing: Fast
/// Tetrahedral Meshes with Good Dihedral Angles"). Dihedral angles stay above 8 degrees whatever the body is;
/// one of the paper's rules for splitting is replaced by a simpler one here, so that this is measured (11
/// degrees at worst), not proved. The body should lie in `box`; what reaches beyond is cut off. Details
/// smaller than the spacing are lost.
///
/// Throws InputError if the lattice would have more than 2·10⁹ points.
Mesh stuff(const Inside& inside, const Eigen::AlignedBox3d& box, double spacing);

}  // namespace stiffly::mesh
