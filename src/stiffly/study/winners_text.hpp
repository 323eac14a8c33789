// A map of winners as a table, as CSV, as JSON, and as a chart.
#pragma once

#include "stiffly/plot/tile_chart.hpp"
#include "stiffly/study/winners_map.hpp"

namespace stiffly::study {

/// A line for every cell and bound; the same as CSV and as a JSON array.
std::string winners_table(const WinnersMap& map);
std::string winners_csv(const WinnersMap& map);
std::string winners_json(const WinnersMap& map);
/// A panel for every bound. The colour is the winner's family, the stronger the further it is ahead of all
/// others.
TileChart winners_chart(const WinnersMap& map);

}  // namespace stiffly::study
