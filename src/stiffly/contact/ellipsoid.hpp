// Ellipsoids, exact distances included.
#pragma once

#include "stiffly/contact/solid_shape.hpp"

namespace stiffly {

/// With its axes along those of space. Throws InputError (naming what is wrong) unless numbers are finite and
/// half the axes are above 0.
std::shared_ptr<const SolidShape> ellipsoid(const Eigen::Vector3d& centre, const Eigen::Vector3d& half_axes);

}  // namespace stiffly
