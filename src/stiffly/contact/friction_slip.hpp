// How something slips along a surface.
#pragma once

#include <cmath>
#include <Eigen/Core>

#include "stiffly/contact/repulsion_law.hpp"

namespace stiffly {

struct FrictionSlip {
  Eigen::Vector3d velocity;   ///< u, against the surface
  Eigen::Vector3d direction;  ///< T(w), w being the part of u along the surface
  double scale;               ///< √(|w|² + v₀²)

  FrictionSlip(const Eigen::Vector3d& u, const Eigen::Vector3d& normal, const FrictionLaw& law)
      : velocity(u) {
    const Eigen::Vector3d along = u - normal.dot(u) * normal;
    scale = std::hypot(along.norm(), law.speed);
    direction = along / scale;
  }
};

}  // namespace stiffly
