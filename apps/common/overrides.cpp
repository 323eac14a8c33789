#include "overrides.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"

namespace stiffly::app {

Override parse_override(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw InputError(fmt::format("--set {}: write --set KEY=VALUE", setting));
  return {setting.substr(0, equals), setting.substr(equals + 1)};
}

std::vector<Override> parse_overrides(std::span<const std::string> settings) {
  std::vector<Override> out;
  for (const std::string& setting : settings) out.push_back(parse_override(setting));
  return out;
}

}  // namespace stiffly::app
