#include "axis.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"

namespace stiffly::app {

std::string name_of(const Axis& axis) { return axis.key.substr(0, axis.key.find('=')); }

Override override_at(const Axis& axis, double value, const std::string& option) {
  const std::string number = fmt::format("{}", value);
  const std::size_t equals = axis.key.find('=');
  if (equals == std::string::npos) return {axis.key, number, option};
  std::string pattern = axis.key.substr(equals + 1);
  const std::size_t place = pattern.find("{}");
  if (place == std::string::npos)
    throw InputError(
        fmt::format("{} {}: after the = comes a value with {{}} for the number", option, axis.key));
  return {axis.key.substr(0, equals), pattern.replace(place, 2, number), option};
}

}  // namespace stiffly::app
