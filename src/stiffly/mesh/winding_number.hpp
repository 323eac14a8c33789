// Inside or outside of a surface that need not be closed or clean.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiffly/mesh/mesh.hpp"

namespace stiffly::mesh {

/// The generalised winding number (Jacobson, Kavan and Sorkine-Hornung 2013): the share of all directions in
/// which the surface is seen from its back, 1 inside a closed surface, 0 outside, in between near holes.
/// Groups of triangles that are far away count as one dipole (Barill et al. 2018, "Fast winding numbers for
/// soups and clouds").
class WindingNumber {
 public:
  /// Keeps a copy of the triangles.
  WindingNumber(std::span<const Eigen::Vector3d> points, std::span<const std::array<int, 3>> triangles);

  double operator()(const Eigen::Vector3d& x) const;

 private:
  struct Corners {
    Eigen::Vector3d a, b, c;
  };
  /// Triangles [first, last); leaves have no children, others have two, at `child` and `child` + 1.
  struct Node {
    Eigen::Vector3d centre;  ///< of area
    Eigen::Vector3d dipole;  ///< sum of area normals
    double near2 = 0;        ///< squared distance from the centre within which it must be split
    int first = 0, last = 0, child = -1;
  };
  void build(int node);

  std::vector<Corners> triangles_;
  std::vector<Node> nodes_;
};

}  // namespace stiffly::mesh
