// stiffly study map: who wins where.
#pragma once

#include "axis.hpp"
#include "scene_study.hpp"
#include "stiffly/study/winners_map.hpp"

namespace stiffly::app {

struct MapOptions : SceneStudyOptions {
  MapOptions() { norm = "displacement"; }

  Axis stiffness, amplitude;
  std::vector<double> errors = {0.1, 0.01};
  double patience = 4;
  std::string cells;  ///< folder of finished cells; empty: that of the output, and there map-SCENE
};

void add_map_options(CLI::App& command, MapOptions& o);

/// Makes the cells that are not in their folder yet, and draws OUTPUT/map-SCENE.png, .svg, .pdf, .csv and
/// .json of all of them after each.
study::WinnersMap make_map(const MapOptions& o);
int map_study(const MapOptions& o);

}  // namespace stiffly::app
