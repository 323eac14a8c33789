// The files that studies leave, and what they say about the machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "json_text.hpp"
#include "stiffly/plot/chart.hpp"
#include "stiffly/plot/tile_chart.hpp"

namespace stiffly::app {

/// Versions and machine, in one line for the foot of charts.
std::string footer();
/// The same as an object.
nlohmann::ordered_json environment();

/// FOLDER/NAME.png, .svg, .pdf and .csv; makes the folder.
void write_chart(const std::string& folder, const std::string& name, Chart chart, const std::string& csv);
void write_chart(const std::string& folder, const std::string& name, TileChart chart, const std::string& csv);
/// FOLDER/NAME.json
void write_json(const std::string& folder, const std::string& name, const nlohmann::ordered_json& json);

}  // namespace stiffly::app
