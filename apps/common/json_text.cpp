#include "json_text.hpp"

#include <nlohmann/json.hpp>

namespace stiffly::app {

std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace stiffly::app
