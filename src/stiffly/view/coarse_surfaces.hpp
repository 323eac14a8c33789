// Surfaces with fewer points, for pictures that must be quick.
#pragma once

#include <span>
#include <vector>

#include "stiffly/scene/drawn_points.hpp"

namespace stiffly::view {

/// A surface whose corners are some of those of a finer one.
struct CoarseSurface {
  std::vector<int> points;  ///< its corners, each once
  std::vector<Triangle> triangles;
};

/// From finer to coarser, the corners of each among those of the one before, of which it has a third to a
/// sixth; as long as there are at least `few`. Neighbours become one, never what is only near: sheets that
/// lie on each other stay apart, and nothing depends on where the points are.
std::vector<CoarseSurface> coarse_surfaces(std::span<const Triangle> triangles, std::size_t few);

}  // namespace stiffly::view
