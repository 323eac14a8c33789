// Grids for ParaView: one .vtu file per moment, a .pvd file that lists them with their times.
#pragma once

#include <array>
#include <Eigen/Core>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "stiffly/mesh/mesh.hpp"

namespace stiffly {

/// Something known at every point, such as velocities.
struct PointVectors {
  std::string name;
  std::span<const Eigen::Vector3d> values;
};

enum class VtuEncoding { raw, base64 };

/// Points, then triangles, tetrahedra and lines as cells (points alone become cells of one point each), then
/// the vectors. Throws InputError where a field has not one vector per point, and FileError.
void write_vtu(const std::filesystem::path& path, const mesh::Mesh& mesh,
               std::span<const PointVectors> fields = {}, VtuEncoding encoding = VtuEncoding::raw,
               std::span<const std::array<int, 2>> lines = {});

struct PvdEntry {
  double time = 0;             ///< s
  std::filesystem::path file;  ///< as seen from the folder of the index
};
void write_pvd(const std::filesystem::path& path, std::span<const PvdEntry> entries);

}  // namespace stiffly
