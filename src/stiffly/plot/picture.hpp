// Pictures of a run: moments side by side, or curves over time.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stiffly/plot/canvas.hpp"

namespace stiffly {

/// One instant of a run.
struct Moment {
  double time = 0;
  std::vector<std::array<double, 3>> positions, velocities;
  std::vector<std::array<double, 3>> obstacles = {};  ///< the corners of their surfaces
  std::vector<double> contact_time = {};              ///< of these corners, s; empty: nothing is known of it
};

/// What stays the same over the run.
struct Shape {
  std::span<const std::array<int, 3>> triangles;
  std::span<const std::pair<int, int>> springs;
  /// Fibres: the first and the one after the last particle of each line.
  std::span<const std::pair<int, int>> strands = {};
  std::span<const std::array<int, 3>> obstacles = {};  ///< triangles of their corners
  /// Of their corners, from the first on, those of closed surfaces: they should be in the picture.
  std::size_t seen_corners = 0;
};

/// All moments (at least one) in one picture, seen from the same place and coloured by speed on one scale;
/// obstacles that were touched at all by how long they were, on another.
Canvas contact_sheet(const std::string& title, const Shape& shape, std::span<const Moment> moments);

/// Curves over a common axis of times; all of the same length as `times`.
struct Curve {
  std::string name;
  std::vector<double> values;
};
Canvas plot(const std::string& title, std::span<const double> times, std::span<const Curve> curves);

}  // namespace stiffly
