// Who wins where: races over two parameters of a scene, its stiffness and the amplitude of its motion.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stiffly/study/quality_race.hpp"

namespace stiffly::study {

/// The race at one pair of values.
struct MapCell {
  std::string settings = "{}";          ///< all that the result depends on, as a JSON object
  double stiffness = 0, amplitude = 0;  ///< as they were set
  std::string failure = {};             ///< why there is no reference, and so no race
  std::size_t unknowns = 0;             ///< 0: it has not been run
  double motion = 0;                    ///< its amplitude as measured, relative to the body's size
  double still = 0;                     ///< error of a body that stands still
  std::string reference = {};           ///< in words
  double reference_difference = 0;
  std::vector<RaceEntry> entries = {};
};

struct WinnersMap {
  std::string scene, norm;
  double duration = 0;
  std::string stiffness_key, amplitude_key;
  std::vector<double> stiffnesses, amplitudes, bounds;
  std::vector<MapCell> cells;  ///< the first amplitude first, each with all stiffnesses
};

/// "explicit", "implicit" or "exponential"; "automatic" for one that chooses among these.
std::string family_of(std::string_view integrator);

/// One JSON object, and back. What is not a whole cell gives nothing.
std::string cell_json(const MapCell& cell);
std::optional<MapCell> parse_cell(const std::string& json);

}  // namespace stiffly::study
