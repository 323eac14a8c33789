// A lattice tower in the form of the Eiffel tower: four curved legs that join to a shaft, three platforms,
// arches, a spire.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace stiffly {

struct TowerParameters {
  double height = 324;  ///< m, to the tip; all else is in proportion
  int segments = 4;     ///< girders along each side of a leg's cross-section: 4 gives about 5000 particles
};

/// Girders by what they do. Every pair of particles stands in one list at most once, the smaller first.
struct Tower {
  using Edges = std::vector<std::pair<int, int>>;
  std::vector<Eigen::Vector3d> points;  ///< z is up, the axis is x = y = 0, the feet are at z = 0
  Edges chords;                         ///< up along legs and shaft
  Edges rings;                          ///< level around legs and shaft
  Edges braces;                         ///< crosses in the walls
  Edges ties;                           ///< through the hollow of legs and shaft, which they keep square
  Edges platforms, arches, spire;
  std::vector<int> feet;                 ///< the particles on the ground
  std::vector<double> platform_heights;  ///< m

  /// All girders, ascending.
  Edges edges() const;
};

/// Throws InputError for a height that is not positive or segments outside 1 … 40.
Tower make_tower(const TowerParameters& parameters = {});

}  // namespace stiffly
