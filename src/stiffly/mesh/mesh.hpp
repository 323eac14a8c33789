// Meshes of triangles and tetrahedra: files in and out.
#pragma once

#include <array>
#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <vector>

#include "stiffly/warning.hpp"

namespace stiffly::mesh {

struct Mesh {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 4>> tetrahedra;
  std::vector<std::string> notes;  ///< what was left out or changed while reading, a sentence each
  Warnings warnings = {};
};

/// What the extension says: .obj, .ply, .stl, .off, .msh (Gmsh 2 ascii, 4.1 ascii and binary), .mesh (MEDIT),
/// .node, .ele or .face (TetGen, with the others of the same name beside it), .vtu; all of them also with .gz
/// behind. Larger polygons become triangles; lines and single points are left out. Every index is in range,
/// no element names a point twice, no coordinate is infinite, and no tetrahedron is flat.
///
/// Throws InputError "FILE:LINE: …" ("FILE: …" in binary files) for anything else, and FileError where the
/// file is missing. Memory and time are bounded by the file's size, whatever its header claims.
Mesh read_mesh(const std::filesystem::path& path);

/// The extensions `read_mesh` knows.
std::vector<std::string> mesh_extensions();

/// Points and triangles; of tetrahedra, which the format lacks, nothing.
void write_obj(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace stiffly::mesh
