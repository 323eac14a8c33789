// What is in a mesh and what is wrong with it.
#pragma once

#include <array>
#include <Eigen/Core>
#include <string>

#include "stiffly/mesh/mesh.hpp"

namespace stiffly::mesh {

/// Shares of a whole in equal steps.
struct Histogram {
  double low = 0, high = 1;
  std::array<int, 10> counts{};
  double smallest = 0, largest = 0, mean = 0;
};

struct MeshReport {
  int points = 0, triangles = 0, tetrahedra = 0;
  Eigen::Vector3d low = Eigen::Vector3d::Zero(), high = Eigen::Vector3d::Zero();  ///< of the bounding box, m
  double area = 0;     ///< of the triangles, or of the tetrahedra's surface where there are no triangles, m²
  double volume = 0;   ///< of the tetrahedra, or enclosed by the triangles as they face, m³
  int components = 0;  ///< parts that share no point, points without element aside

  int unused_points = 0;
  int duplicate_points = 0;       ///< equal to an earlier one
  int open_edges = 0;             ///< of one triangle only: a surface with such edges has holes
  int non_manifold_edges = 0;     ///< of more than two triangles
  int inconsistent_edges = 0;     ///< whose two triangles face opposite ways
  int degenerate_triangles = 0;   ///< of no area, up to rounding
  int degenerate_tetrahedra = 0;  ///< of no volume, up to rounding
  int inverted_tetrahedra = 0;    ///< of negative volume
  int repeated_elements = 0;      ///< with the corners of an earlier one

  /// Three times (triangles: twice) the inscribed over the circumscribed radius: 1 if regular, 0 if flat.
  Histogram triangle_quality, tetrahedron_quality;
  Histogram dihedral_angles;  ///< of the tetrahedra, degrees, six each

  /// A surface without holes that faces one way, fit for programs that need a clean one.
  bool closed() const {
    return triangles > 0 && open_edges == 0 && non_manifold_edges == 0 && inconsistent_edges == 0;
  }
};

/// The edges are those of the triangles.
MeshReport inspect(const Mesh& mesh);

/// For people: a line per fact, then a line per problem with what to do about it.
std::string describe(const MeshReport& report);

}  // namespace stiffly::mesh
