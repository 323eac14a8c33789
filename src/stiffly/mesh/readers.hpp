// The readers behind `read_mesh`, one per format and file.
#pragma once

#include <string>
#include <string_view>

#include "stiffly/mesh/mesh.hpp"

namespace stiffly::mesh {

Mesh read_obj(std::string_view text, const std::string& name);
Mesh read_ply(std::string_view bytes, const std::string& name);
Mesh read_stl(std::string_view bytes, const std::string& name);
Mesh read_off(std::string_view text, const std::string& name);
Mesh read_gmsh(std::string_view bytes, const std::string& name);
Mesh read_medit(std::string_view text, const std::string& name);
Mesh read_vtu(std::string_view bytes, const std::string& name);
/// Opens .node and, where they are, .ele and .face of the same name.
Mesh read_tetgen(const std::filesystem::path& path);

/// A file's bytes, unpacked if its name ends with .gz, up to the size a mesh may have.
std::string read_mesh_bytes(const std::filesystem::path& path);

}  // namespace stiffly::mesh
