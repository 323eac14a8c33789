// Triangles in a tree: which of them is nearest to a point.
#pragma once

#include <optional>
#include <vector>

#include "stiffly/contact/box_tree.hpp"
#include "stiffly/contact/point_triangle.hpp"
#include "stiffly/system/elements.hpp"

namespace stiffly {

/// Any triangles, closed or not, flat ones among them.
class TriangleTree {
 public:
  TriangleTree() = default;
  /// Corners of triangles must be points.
  TriangleTree(std::vector<Eigen::Vector3d> points, std::vector<Triangle> triangles);

  const std::vector<Eigen::Vector3d>& points() const { return points_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  TriangleCorners corners(std::size_t triangle) const;
  /// Around all of them.
  const Box& box() const { return box_; }

  struct Nearest {
    std::size_t triangle = 0;
    Eigen::Vector3d weights = Eigen::Vector3d::Zero();  ///< of its nearest point, see nearest_weights
    Eigen::Vector3d offset = Eigen::Vector3d::Zero();   ///< from there to x
  };
  /// Nothing where none is nearer than `reach`.
  std::optional<Nearest> nearest(const Eigen::Vector3d& x,
                                 double reach = std::numeric_limits<double>::infinity()) const;

 private:
  std::vector<Eigen::Vector3d> points_;
  std::vector<Triangle> triangles_;
  Box box_;
  BoxTree tree_;
};

}  // namespace stiffly
