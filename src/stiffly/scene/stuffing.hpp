// Isosurface stuffing: fills the inside of anything with well-shaped tetrahedra.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <functional>

#include "stiffly/io/mesh.hpp"

namespace stiffly {

/// Whether a point belongs to the body. Called by several threads at once.
using Inside = std::function<bool(const Eigen::Vector3d&)>;

/// Tetrahedra (all positive) of a body-centred cubic lattice with cubes of side `spacing`, kept where
/// `inside`, with lattice points near the surface moved onto it and tetrahedra that it cuts replaced by
/// smaller ones; and their surface as triangles. Dihedral angles stay above 8 degrees whatever the body is
/// (Labelle and Shewchuk 2007, "Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral Angles"). The
/// body should lie in `box`; what reaches beyond is cut off. Details smaller than the spacing are lost.
///
/// Throws InputError if the lattice would have more than 2·10⁹ points.
Mesh stuff(const Inside& inside, const Eigen::AlignedBox3d& box, double spacing);

/// Tetrahedra that hang together by faces are a piece. Drops those with less than `share` of all tetrahedra
/// and the points that nothing uses any more; returns how many pieces it dropped.
int drop_crumbs(Mesh& mesh, double share);

}  // namespace stiffly
