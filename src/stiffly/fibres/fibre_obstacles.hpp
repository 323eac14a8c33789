// Obstacles as fibres in batches feel them.
#pragma once

#include <vector>

#include "stiffly/contact/obstacle.hpp"
#include "stiffly/contact/repulsion_law.hpp"

namespace stiffly {

/// What ObstacleRepulsion is to a system: a push, and friction, on the middles of cross-sections.
struct FibreObstacles {
  std::vector<Obstacle> obstacles;
  RepulsionLaw law;
  double radius = 0;  ///< of the fibres, m
  FrictionLaw friction = {};

  std::optional<Distance> within_range(const PlacedShape& shape, const Eigen::Vector3d& middle) const {
    return shape.within(radius + law.range, middle);
  }
  std::vector<PlacedShape> at(double time) const { return placed(obstacles, time); }
};

/// Those of one law after the other.
using ObstacleGroups = std::vector<FibreObstacles>;

}  // namespace stiffly
