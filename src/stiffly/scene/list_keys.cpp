#include <fmt/format.h>

#include "stiffly/scene/scene_file.hpp"
#include "stiffly/scene/specification.hpp"

namespace stiffly {
namespace {

void add_line(std::string& out, const Section& section, const Key& key, const std::string& value) {
  const std::string name = section.name.empty() ? key.name : section.name + "." + key.name;
  const std::string range = key.range();
  out += fmt::format("  {:<26}{:<20} {:<6} {}{}\n", name, value, key.unit, key.help,
                     range.empty() ? "" : " (" + range + ")");
}

std::string plural(const std::string& name) { return name.ends_with('s') ? name : name + "s"; }

void add_section(std::string& out, const Values& values) {
  for (const Key& key : values.section().keys) {
    const bool same_at_top = values.section().name == "simulation" && root_section().find(key.name);
    if (same_at_top || key.name == "title") continue;
    const std::optional<Value> value = values.value(key.name);
    add_line(out, values.section(), key, value ? to_text(*value) : "-");
  }
}

}  // namespace

std::string list_keys(const SceneFile& file) {
  std::string out;
  for (const Values* values : {&file.root, &file.simulation, &file.model, &file.damping, &file.contact,
                               &file.fluid, &file.plasticity})
    add_section(out, *values);
  for (const RepeatedSection& repeated : repeated_sections())
    if (const std::size_t count = (file.*repeated.list).size())
      for (const Key& key : repeated.section().keys)
        add_line(out, repeated.section(), key,
                 fmt::format("of {} {}", count, plural(repeated.section().name)));
  if (!file.sizes.empty()) {
    out += "  sizes:";
    for (const std::string& size : file.sizes) out += " " + size;
    out += "\n";
  }
  return out;
}

}  // namespace stiffly
