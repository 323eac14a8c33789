// stiffly list: what there is, from the registries.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/registry.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/scene/specification.hpp"

namespace stiffly::app {
namespace {

using Json = nlohmann::ordered_json;

Json list_integrators() {
  Json out = Json::array();
  for (const MethodInfo& i : methods())
    out.push_back({{"name", i.name},
                   {"family", i.family},
                   {"order", i.automatic ? Json(nullptr) : Json(i.order)},
                   {"embedded_order", i.embedded_order ? Json(*i.embedded_order) : Json(nullptr)},
                   {"uses_evaluator", i.uses_evaluator},
                   {"summary", i.summary},
                   {"reference", i.reference}});
  return out;
}

Json list_evaluators() {
  Json out = Json::array();
  for (const EvaluatorInfo& e : evaluators())
    out.push_back(
        {{"name", e.name}, {"family", e.family}, {"summary", e.summary}, {"reference", e.reference}});
  return out;
}

Json list_scenes() {
  Json out = Json::array();
  for (const SceneEntry& s : scenes())
    out.push_back({{"name", s.name}, {"summary", s.title}, {"sizes", s.sizes}, {"file", s.path.string()}});
  return out;
}

Json list_forces() {
  Json out = Json::array();
  for (const ForceInfo& f : forces())
    out.push_back({{"name", f.name}, {"summary", f.summary}, {"keys", f.keys}});
  return out;
}

/// One line each: name, the columns asked for, summary.
void print_table(const Json& entries, const std::vector<const char*>& columns) {
  const auto text = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.is_null() ? "-" : value.dump();
  };
  std::vector<std::size_t> widths;
  for (const char* column : columns) {
    widths.push_back(std::string_view(column).size());
    for (const Json& entry : entries) widths.back() = std::max(widths.back(), text(entry[column]).size());
  }
  const auto line = [&](const auto& cell) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      fmt::print("{:<{}}", cell(c), c + 1 < columns.size() ? widths[c] + 2 : 0);
    fmt::print("\n");
  };
  line([&](std::size_t c) { return std::string(columns[c]); });
  for (const Json& entry : entries) line([&](std::size_t c) { return text(entry[columns[c]]); });
}

int list(const std::string& what, bool json, bool markdown) {
  if (what == "keys" && json) throw InputError("list keys has no JSON form");
  if (what == "keys" || markdown) {
    if (what != "keys") throw InputError("--markdown is for `list keys` only");
    fmt::print("{}", reference_page());
    return done;
  }
  const Json entries = what == "integrators"  ? list_integrators()
                       : what == "evaluators" ? list_evaluators()
                       : what == "scenes"     ? list_scenes()
                                              : list_forces();
  if (json)
    fmt::print("{}\n", entries.dump(2));
  else if (what == "integrators")
    print_table(entries, {"name", "order", "embedded_order", "family", "summary"});
  else if (what == "evaluators")
    print_table(entries, {"name", "family", "summary"});
  else
    print_table(entries, {"name", "summary"});
  return done;
}

}  // namespace

void add_list(CLI::App& program, Action& action) {
  struct Options {
    std::string what;
    bool json = false, markdown = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "list", "Show integrators, evaluators, scenes, forces, or all keys of scene files");
  command->add_option("WHAT", o->what, "integrators, evaluators, scenes, forces or keys")
      ->required()
      ->check(CLI::IsMember({"integrators", "evaluators", "scenes", "forces", "keys"}));
  command->add_flag("--json", o->json, "Print a JSON array");
  command->add_flag("--markdown", o->markdown, "Of keys: the reference page docs/scenes.md");
  command->callback([o, &action] { action = [o] { return list(o->what, o->json, o->markdown); }; });
}

}  // namespace stiffly::app
