#include "stiffly/study/winners_map.hpp"
#include "stiffly/control/methods.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "stiffly/control/methods.hpp"
#include "stiffly/text.hpp"

namespace stiffly::study {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double number_or_infinity(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

Json entry_json(const RaceEntry& entry) {
  Json rungs = Json::array();
  for (const Measurement& t : entry.rungs)
    rungs.push_back({{"setting", t.setting},
                     {"error", number_or_null(t.error)},
                     {"seconds", t.seconds},
                     {"steps", t.steps},
                     {"failure", t.failure},
                     {"out_of_time", t.out_of_time}});
  return {{"name", entry.name},
          {"family", entry.family},
          {"knob", entry.knob == Knob::step ? "step" : "tolerance"},
          {"rungs", std::move(rungs)}};
}

RaceEntry parse_entry(const Json& json) {
  RaceEntry out{json.at("name").get<std::string>(), json.at("family").get<std::string>(),
                json.at("knob") == "step" ? Knob::step : Knob::tolerance};
  for (const Json& rung : json.at("rungs")) {
    Measurement t;
    t.setting = rung.at("setting").get<double>();
    t.error = number_or_infinity(rung.at("error"));
    t.seconds = rung.at("seconds").get<double>();
    t.steps = rung.at("steps").get<long>();
    t.failure = rung.at("failure").get<std::string>();
    t.out_of_time = rung.at("out_of_time").get<bool>();
    out.rungs.push_back(std::move(t));
  }
  return out;
}

}  // namespace

std::string family_of(std::string_view integrator) {
  const MethodInfo& info = find_method(integrator);
  if (info.automatic) return info.family;
  if (info.uses_evaluator) return "exponential";
  return info.family == "explicit" || info.family == "Verlet" ? "explicit" : "implicit";
}

std::string cell_json(const MapCell& cell) {
  Json entries = Json::array();
  for (const RaceEntry& entry : cell.entries) entries.push_back(entry_json(entry));
  return text_of({{"stiffness", cell.stiffness},
                  {"amplitude", cell.amplitude},
                  {"failure", cell.failure},
                  {"unknowns", cell.unknowns},
                  {"motion", number_or_null(cell.motion)},
                  {"still", number_or_null(cell.still)},
                  {"reference", cell.reference},
                  {"reference_difference", number_or_null(cell.reference_difference)},
                  {"entries", std::move(entries)},
                  {"settings", Json::parse(cell.settings)}});
}

std::optional<MapCell> parse_cell(const std::string& json) {
  try {
    const Json j = Json::parse(json);
    MapCell out{.settings = j.at("settings").dump(),
                .stiffness = j.at("stiffness").get<double>(),
                .amplitude = j.at("amplitude").get<double>(),
                .failure = j.at("failure").get<std::string>(),
                .unknowns = j.at("unknowns").get<std::size_t>(),
                .motion = number_or_infinity(j.at("motion")),
                .still = number_or_infinity(j.at("still")),
                .reference = j.at("reference").get<std::string>(),
                .reference_difference = number_or_infinity(j.at("reference_difference"))};
    for (const Json& entry : j.at("entries")) out.entries.push_back(parse_entry(entry));
    return out;
  } catch (const Json::exception&) {  // cut off, or something else
    return {};
  }
}

}  // namespace stiffly::study
