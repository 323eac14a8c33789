// Bodies given by their surfaces.
#pragma once

#include <span>
#include <vector>

#include "stiffly/contact/solid_shape.hpp"
#include "stiffly/contact/triangle_tree.hpp"

namespace stiffly {

/// The inside of a closed surface of triangles. On which side a point is, the normal of the nearest face,
/// edge or corner tells, the latter two being means of the faces there, weighted by their angles (Bærentzen
/// and Aanæs 2005, "Signed distance computation using the angle weighted pseudonormal").
class ClosedSurface final : public SolidShape {
 public:
  /// Counter-clockwise triangles as seen from outside. Throws InputError unless points are finite, triangles
  /// have an area, and every edge belongs to two of them that run along it in opposite directions (naming one
  /// that does not), and where the surface is inside out.
  ClosedSurface(std::vector<Eigen::Vector3d> points, std::vector<Triangle> triangles);

  std::optional<Distance> within(double reach, const Eigen::Vector3d& x) const override;

 private:
  void find_normals();
  void check_outside() const;

  TriangleTree tree_;
  std::vector<Eigen::Vector3d> face_normals_, corner_normals_;
  std::vector<std::array<Eigen::Vector3d, 3>> edge_normals_;  ///< of the edges from each corner to the next
};

}  // namespace stiffly
