// Stability regions, drawn from the methods' own steps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stiffly/integrators/registry.hpp"
#include "stiffly/plot/canvas.hpp"

namespace stiffly::study {

/// Spectral radii of the amplification on a grid of z = hλ.
struct StabilityRegion {
  std::string integrator;
  double left = -8, right = 2, top = 5;  ///< Re z from left to right, Im z from −top to top
  int columns = 100, rows = 100;
  std::vector<double> radius;  ///< row by row from the top; NaN where no step could be made

  double at(int column, int row) const { return radius[static_cast<std::size_t>(row * columns + column)]; }
};

StabilityRegion stability_region(const IntegratorInfo& method);

/// All regions side by side: dark where motion is damped, light where it is kept, white where it grows.
Canvas draw(std::span<const StabilityRegion> regions);

}  // namespace stiffly::study
