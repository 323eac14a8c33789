#include "axis.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"
#include "stiffly/scene/specification.hpp"

namespace stiffly::app {

std::string name_of(const Axis& axis) { return axis.key.substr(0, axis.key.find('=')); }

std::string with_unit(const std::string& key, const std::string& kind) {
  const std::string name = key.substr(key.rfind('.') + 1);
  for (const Section* section : {&root_section(), &simulation_section(), &model_section(kind),
                                 &particle_section(), &spring_section(), &damping_section()})
    if (const Key* found = section->find(name); found && !found->unit.empty())
      return fmt::format("{} ({})", key, found->unit);
  return key;
}

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
