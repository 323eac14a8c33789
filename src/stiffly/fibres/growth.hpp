// Lines for fibres to follow: straight or curled, of any length, along any guide.
#pragma once

#include <functional>
#include <random>

#include "stiffly/fibres/fibre.hpp"

namespace stiffly {

/// A helix around the guide, which it leaves gradually over the first turn.
struct Curl {
  double radius = 0;  ///< m; 0: none
  double pitch = 0;   ///< m along the guide for each turn
  double phase = 0;   ///< rad
};

/// How thick a fibre is along its length; linear between root and tip.
struct Taper {
  double root = 0, tip = 0;  ///< m
};

/// Direction in which to go on from a place.
using GrowthGuide =
    std::function<Eigen::Vector3d(const Eigen::Vector3d& place, const Eigen::Vector3d& direction)>;

/// From `root`, first towards `direction`, as the guide says, curled around that: cross-sections at equal
/// distances along a line of that length.
CentreLine grow(const Eigen::Vector3d& root, const Eigen::Vector3d& direction, const GrowthGuide& guide,
                double length, int segments, const Taper& taper, const Curl& curl);

/// The same line through `segments` + 1 points at equal distances along it.
CentreLine resampled(const CentreLine& line, int segments);

/// `count` points on a disc across `axis`, as evenly as the seeds of a sunflower, the first in the centre.
std::vector<Eigen::Vector3d> sunflower(int count, const Eigen::Vector3d& centre, const Eigen::Vector3d& axis,
                                       double radius);

struct StackedPlace {
  Eigen::Vector3d root, direction;
};
/// `count` rods of that length in layers of `layer`, side by side, each layer in a direction of its own and
/// each rod turned, tilted and shifted at random by less than would make it meet its neighbours.
std::vector<StackedPlace> stack(int count, int layer, const Eigen::Vector3d& centre, double spacing,
                                double length, std::mt19937& random);

/// Throws InputError that names both fibres where roots are closer to each other than they are thick.
void check_roots_apart(std::span<const CentreLine> lines);

}  // namespace stiffly
