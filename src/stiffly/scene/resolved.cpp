#include "stiffly/scene/resolved.hpp"
#include "stiffly/scene/touching_bodies.hpp"

#include <nlohmann/json.hpp>

#include "stiffly/scene/flow.hpp"
#include "stiffly/scene/plasticity.hpp"

namespace stiffly {
namespace {

using Json = nlohmann::ordered_json;

/// Longer lists would make run.json larger than the results.
constexpr std::size_t longest_list = 1000;

Json section_json(const Values& values) {
  Json out = Json::object();
  for (const Key& key : values.section().keys)
    if (const auto value = values.value(key.name))
      out[key.name] = std::visit([](const auto& v) { return Json(v); }, *value);
  return out;
}

Json list_json(const std::vector<Values>& list) {
  if (list.size() > longest_list) return {{"count", list.size()}};
  Json out = Json::array();
  for (const Values& values : list) out.push_back(section_json(values));
  return out;
}

}  // namespace

std::string resolved_json(const SceneFile& file, const std::string& integrator) {
  Json out = section_json(file.root);
  out["file"] = file.path.string();
  out["simulation"] = section_json(file.simulation);
  out["simulation"]["integrator"] = integrator;
  out["model"] = section_json(file.model);
  out["model"]["kind"] = file.model.section().kind;
  out["damping"] = section_json(file.damping);
  if (!file.obstacles.empty() || bodies_touch(file)) out["contact"] = section_json(file.contact);
  if (has_fluid(file)) out["fluid"] = section_json(file.fluid);
  if (has_plasticity(file)) out["plasticity"] = section_json(file.plasticity);
  for (const RepeatedSection& repeated : repeated_sections())
    if (const std::vector<Values>& list = file.*repeated.list; !list.empty())
      out[repeated.section().name] = list_json(list);
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stiffly
