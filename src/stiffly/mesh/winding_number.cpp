#include "stiffly/mesh/winding_number.hpp"

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <numbers>

namespace stiffly::mesh {
namespace {

constexpr int leaf_size = 4;
/// A group is far away if its ball is this many radii off: the error of the sum is then a few hundredths,
/// which leaves the question of inside or outside well answered.
constexpr double far_away = 2.3;

/// The solid angle of a triangle seen from the origin (Van Oosterom and Strackee 1983).
double solid_angle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  return 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
}

}  // namespace

WindingNumber::WindingNumber(std::span<const Eigen::Vector3d> points,
                             std::span<const std::array<int, 3>> triangles) {
  for (const auto& t : triangles)
    triangles_.push_back({points[static_cast<std::size_t>(t[0])], points[static_cast<std::size_t>(t[1])],
                          points[static_cast<std::size_t>(t[2])]});
  if (triangles_.empty()) return;
  nodes_.push_back({});
  nodes_[0].last = static_cast<int>(triangles_.size());
  for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) build(node);
}

/// Sums up the node and, if it is large, splits it at the middle of its longest side.
void WindingNumber::build(int index) {
  Node node = nodes_[static_cast<std::size_t>(index)];
  const auto begin = triangles_.begin() + node.first, end = triangles_.begin() + node.last;
  Eigen::AlignedBox3d box;
  double area = 0;
  node.centre = node.dipole = Eigen::Vector3d::Zero();
  for (auto t = begin; t != end; ++t) {
    const Eigen::Vector3d normal = (t->b - t->a).cross(t->c - t->a) / 2;
    const double weight = normal.norm();
    node.dipole += normal;
    node.centre += weight * (t->a + t->b + t->c) / 3;
    area += weight;
    box.extend(t->a).extend(t->b).extend(t->c);
  }
  node.centre = area > 0 ? Eigen::Vector3d(node.centre / area) : box.center();
  for (auto t = begin; t != end; ++t)
    for (const Eigen::Vector3d& x : {t->a, t->b, t->c})
      node.near2 = std::max(node.near2, far_away * far_away * (x - node.centre).squaredNorm());
  if (node.last - node.first > leaf_size) {
    Eigen::Index axis = 0;
    box.sizes().maxCoeff(&axis);
    const auto middle = begin + (node.last - node.first) / 2;
    std::nth_element(begin, middle, end, [&](const Corners& s, const Corners& t) {
      return s.a[axis] + s.b[axis] + s.c[axis] < t.a[axis] + t.b[axis] + t.c[axis];
    });
    node.child = static_cast<int>(nodes_.size());
    const int split = node.first + (node.last - node.first) / 2;
    nodes_.push_back({.centre = {}, .dipole = {}, .first = node.first, .last = split});
    nodes_.push_back({.centre = {}, .dipole = {}, .first = split, .last = node.last});
  }
  nodes_[static_cast<std::size_t>(index)] = node;
}

double WindingNumber::operator()(const Eigen::Vector3d& x) const {
  double sum = 0;
  std::array<int, 128> open;  // halving leaves at most one sibling open per level
  int count = 0;
  if (!nodes_.empty()) open[static_cast<std::size_t>(count++)] = 0;
  while (count > 0) {
    const Node& node = nodes_[static_cast<std::size_t>(open[static_cast<std::size_t>(--count)])];
    const Eigen::Vector3d to = node.centre - x;
    const double distance2 = to.squaredNorm();
    if (distance2 > node.near2) {
      sum += node.dipole.dot(to) / (distance2 * std::sqrt(distance2));
    } else if (node.child < 0) {
      for (int t = node.first; t < node.last; ++t) {
        const Corners& corners = triangles_[static_cast<std::size_t>(t)];
        sum += solid_angle(corners.a - x, corners.b - x, corners.c - x);
      }
    } else {
      open[static_cast<std::size_t>(count++)] = node.child;
      open[static_cast<std::size_t>(count++)] = node.child + 1;
    }
  }
  return sum / (4 * std::numbers::pi);
}

}  // namespace stiffly::mesh
