#include "stiffly/scene/idle_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/control/methods.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {
namespace {

void warn(const Values& values, const std::string& key, const std::string& reason, Warnings& out) {
  out.push_back({"no-effect", fmt::format("{}: '{}' in {} has no effect: {}", values.origin(key).text(), key,
                                          values.section().title(), reason)});
}

/// Of the options that only some methods have.
void idle_options(const Values& values, const SimulationSettings& settings, Warnings& out) {
  const MethodInfo& method = find_method(settings.integrator);
  const auto look = [&](std::initializer_list<const char*> keys, bool used, const char* what) {
    for (const char* key : keys)
      if (!used && values.given(key) &&
          (values.from_command_line(key) || !values.from_command_line("integrator")))
        warn(values, key, fmt::format("the integrator \"{}\" {}", settings.integrator, what), out);
  };
  look({"evaluator", "phi_tolerance", "phi_norm", "reformulation"}, method.uses_evaluator,
       "computes no φ-functions");
  look({"newton", "linear_solver", "newton_tolerance"}, method.implicit, "has no implicit stages");
  look({"largest_angle"}, method.follows_vibrations, "resolves no vibrations");
}

/// Whether the command line has changed anything there, such as the material.
bool chosen_otherwise(const Values& values) {
  return std::ranges::any_of(values.section().keys,
                             [&](const Key& key) { return values.from_command_line(key.name); });
}

void unread_keys(const Values& values, Warnings& out) {
  for (const Key* key : values.unread())
    if (key->name != "kind" && (values.from_command_line(key->name) || !chosen_otherwise(values)))
      warn(values, key->name, fmt::format("with the other settings nothing reads it ({})", key->help), out);
}

}  // namespace

Warnings idle_keys(const SceneFile& file, const SimulationSettings& settings) {
  Warnings out;
  idle_options(file.simulation, settings, out);
  unread_keys(file.model, out);
  // What is said of contact for the day on which 'between' is turned on is no mistake.
  if (!file.contact.given("between") || file.contact.text("between") != "nothing")
    unread_keys(file.contact, out);
  unread_keys(file.fluid, out);
  unread_keys(file.plasticity, out);
  for (const auto* list : {&file.motions, &file.fibres, &file.obstacles})
    for (const Values& values : *list) unread_keys(values, out);
  return out;
}

}  // namespace stiffly
