// A head for hair to grow on.
#pragma once

#include "stiffly/fibres/growth.hpp"
#include "stiffly/system/elements.hpp"

namespace stiffly {

/// An ellipsoid whose face looks along −y, z up.
struct Head {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< m
  Eigen::Vector3d radii = {0.075, 0.095, 0.115};     ///< half its width, depth and height, m

  /// A point on it, from a direction of length 1.
  Eigen::Vector3d point(const Eigen::Vector3d& direction) const {
    return centre + radii.cwiseProduct(direction);
  }
  /// Outwards, of any length, at any place but the centre.
  Eigen::Vector3d outwards(const Eigen::Vector3d& place) const {
    return (place - centre).cwiseQuotient(radii.cwiseAbs2());
  }
  /// How far a place is outside, roughly: exact on the surface, and below 0 inside.
  double height(const Eigen::Vector3d& place) const;
};

/// Directions of `count` roots: above the hairline, which is high at the forehead and low at the nape, evenly
/// spread.
std::vector<Eigen::Vector3d> scalp(int count);

/// The way of a hair: it rises from its root, lies down at `lift` above the head, combed away from the
/// parting and backwards, and hangs down from where the head recedes.
GrowthGuide combed(const Head& head, const Eigen::Vector3d& root_direction, double lift);

/// The head's surface with nose and neck, to be drawn.
struct HeadSurface {
  std::vector<Eigen::Vector3d> points;
  std::vector<Triangle> triangles;
};
HeadSurface surface(const Head& head);

}  // namespace stiffly
