#include "stiffly/contact/triangle_tree.hpp"

namespace stiffly {

using Eigen::Vector3d;

TriangleTree::TriangleTree(std::vector<Vector3d> points, std::vector<Triangle> triangles)
    : points_(std::move(points)), triangles_(std::move(triangles)) {
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    Box box;
    for (const Vector3d& corner : corners(i)) box.extend(corner);
    box_.extend(box);
    boxes.push_back(box);
  }
  tree_.build(boxes);
}

TriangleCorners TriangleTree::corners(std::size_t triangle) const {
  const Triangle& t = triangles_[triangle];
  return {points_[static_cast<std::size_t>(t[0])], points_[static_cast<std::size_t>(t[1])],
          points_[static_cast<std::size_t>(t[2])]};
}

std::optional<TriangleTree::Nearest> TriangleTree::nearest(const Vector3d& x, double reach) const {
  std::optional<Nearest> out;
  tree_.near(x, reach * reach, [&](int triangle, double bound) {
    const auto i = static_cast<std::size_t>(triangle);
    const TriangleCorners c = corners(i);
    const Vector3d w = nearest_weights(x, c);
    const Vector3d away = x - (w[0] * c[0] + w[1] * c[1] + w[2] * c[2]);
    const double distance = away.squaredNorm();
    if (!(distance < bound)) return bound;
    out = {i, w, away};
    return distance;
  });
  return out;
}

}  // namespace stiffly
