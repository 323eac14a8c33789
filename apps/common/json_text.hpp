// JSON as the programs print and write it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stiffly::app {

/// Indented, with a line end; bytes that are not UTF-8 are replaced.
std::string dump(const nlohmann::ordered_json& json);

}  // namespace stiffly::app
