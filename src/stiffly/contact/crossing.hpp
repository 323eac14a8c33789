// Segments that pass through each other.
#pragma once

#include <optional>

#include "stiffly/contact/proximity.hpp"

namespace stiffly {

/// One passes through the other where e = Σ w_i x_i, between the points that meet, vanishes; `normal`, of
/// length 1, is across both then and points to the side from which e came.
struct Crossing {
  double time = 0;  ///< part of the way, in (0, 1]
  CornerWeights weights = CornerWeights::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
};

/// The first one of two segments, from corner 0 to 1 and from 2 to 3, whose corners go straight from `from`
/// to `to`; none where they do not pass through each other, or come back the way they went. They meet where
/// their four corners are in a plane, at roots of a cubic [Provot 1997].
std::optional<Crossing> crossing_of_segments(const Corners& from, const Corners& to);

}  // namespace stiffly
