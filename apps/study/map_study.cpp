#include "map_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "candidates.hpp"
#include "commands.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/study/winners_text.hpp"
#include "stiffly/text.hpp"
#include "study_output.hpp"

namespace stiffly::app {

using namespace study;
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// One or two of each kind, by step and by tolerance.
const std::vector<std::string> map_integrators = {"verlet",
                                                  "dopri5:tolerance",
                                                  "exprb42",
                                                  "pexprb43",
                                                  "pexprb43:tolerance",
                                                  "energy-momentum",
                                                  "energy-momentum:tolerance",
                                                  "gautschi",
                                                  "implicit-midpoint",
                                                  "backward-euler",
                                                  "bdf2",
                                                  "ros3pl",
                                                  "tr-bdf2",
                                                  "ros3pl:tolerance"};
const std::vector<std::string> map_peers = {"cvode-bdf", "cvode-adams"};

constexpr const char* peer_family = "other libraries";

/// With the usual contestants where none are named, and the smallest bound for the reference.
MapOptions completed(MapOptions o) {
  const auto check = [](const Axis& axis, const std::string& option) {
    if (axis.key.empty() || axis.values.empty())
      throw InputError(
          fmt::format("{0} and {0}-values are both needed: a key of the scene and its numbers", option));
  };
  check(o.stiffness, "--stiffness");
  check(o.amplitude, "--amplitude");
  for (const double error : o.errors)
    if (!(error > 0) || !std::isfinite(error))
      throw InputError(fmt::format("--errors must be positive and finite, not {}", error));
  if (o.errors.empty()) throw InputError("--errors is missing: bounds separated by commas");
  if (!(o.patience >= 2)) throw InputError(fmt::format("--patience must be at least 2, not {}", o.patience));
  std::ranges::sort(o.errors, std::greater{});
  o.error = o.errors.back();
  if (o.integrators.empty() && o.peers.empty()) {
    o.integrators = map_integrators;
    const std::vector<std::string> there = peer_names();
    for (const std::string& peer : map_peers)
      if (std::ranges::find(there, peer) != there.end()) o.peers.push_back(peer);
  }
  if (o.output.empty()) o.output = "out/study";
  if (o.cells.empty())
    o.cells = (fs::path(o.output) / ("map-" + find_scene(o.scene).stem().string())).string();
  return o;
}

/// The scene at a pair of values, and all that its cell depends on.
struct Place {
  Place(const MapOptions& o, double stiffness, double amplitude)
      : scene(load(o, {override_at(o.stiffness, stiffness, "--stiffness"),
                       override_at(o.amplitude, amplitude, "--amplitude")})) {
    Json all = {{"scene", Json::parse(scene.resolved)},
                {"integrators", o.integrators},
                {"peers", o.peers},
                {"errors", o.errors},
                {"norm", o.norm},
                {"moments", o.moments},
                {"time_limit", o.time_limit},
                {"patience", o.patience},
                {"repeats", o.repeats},
                {"reference", o.reference},
                {"agreement", o.agreement},
                {"reference_limit", o.reference_limit}};
    all["scene"].erase("file");  // where it lies says nothing about the scene
    for (const auto& [name, value] : hardware())
      if (name == "processor" || name == "threads") all[name] = value;  // times of others cannot be compared
    settings = all.dump();
  }

  Scene scene;
  std::string settings;
};

std::vector<Contestant> contestants(const MapOptions& o, const Candidates& all) {
  std::vector<Contestant> out;
  for (const auto& candidate : all) {
    const std::string name = candidate->name().substr(0, candidate->name().find_first_of(":+"));
    const bool peer = std::ranges::find(o.peers, candidate->name()) != o.peers.end();
    out.push_back({peer ? peer_family : family_of(name), candidate.get()});
  }
  return out;
}

MapCell make_cell(const MapOptions& o, Place place, MapCell cell) {
  cell.settings = place.settings;
  cell.unknowns = place.scene.system().unknowns();
  const Candidates all = candidates(o, place.scene.simulation.options, {});
  try {
    const ReferencedScene at(o, std::move(place.scene));
    cell.motion = at.problem.measure.amplitude();
    cell.still = at.problem.measure.still();
    cell.reference =
        fmt::format("{} ({}), checked by {} ({})", at.reference.best.method, at.reference.best.setting,
                    at.reference.witness.method, at.reference.witness.setting);
    cell.reference_difference = at.reference.difference;
    cell.entries = race(at.problem, contestants(o, all),
                        {.bounds = o.errors,
                         .time_limit = o.time_limit,
                         .patience = o.patience,
                         .repeats = o.repeats,
                         .progress = [&](const std::string& line) { o.say(line); }});
  } catch (const SimulationError& error) {  // no reference: the map says so
    cell.failure = error.what();
  }
  return cell;
}

fs::path file_of(const MapOptions& o, const MapCell& cell) {
  return fs::path(o.cells) / fmt::format("{:g}-{:g}.json", cell.stiffness, cell.amplitude);
}

std::optional<MapCell> finished_cell(const fs::path& file, const std::string& settings) {
  if (!fs::exists(file)) return {};
  std::optional<MapCell> cell = parse_cell(read_file(file, 1 << 24));
  return cell && cell->settings == settings ? cell : std::nullopt;
}

std::string name_of(const WinnersMap& map) { return "map-" + map.scene; }

Json json_of(const MapOptions& o, const WinnersMap& map) {
  Json json = {{"study", "map"},
               {"scene", map.scene},
               {"folder", o.output},
               {"norm", map.norm},
               {"duration", map.duration},
               {"stiffness", o.stiffness.key},
               {"amplitude", o.amplitude.key},
               {"patience", o.patience},
               {"time_limit", o.time_limit},
               {"results", Json::parse(winners_json(map))}};
  json.update(environment());
  return json;
}

void write_files(const MapOptions& o, const WinnersMap& map, const std::string& kind) {
  TileChart chart = winners_chart(map);
  chart.x_label = with_unit(map.stiffness_key, kind);
  chart.y_label = with_unit(map.amplitude_key, kind);
  write_chart(o.output, name_of(map), std::move(chart), winners_csv(map));
  write_json(o.output, name_of(map), json_of(o, map));
}

}  // namespace

void add_map_options(CLI::App& command, MapOptions& o) {
  add_scene_options(command, o);
  add_reference_options(command, o);
  const auto axis = [&](const std::string& option, Axis& to, const char* help) {
    command.add_option(option, to.key, help)->required();
    command.add_option(option + "-values", to.values, "Its numbers, separated by commas")
        ->delimiter(',')
        ->required();
  };
  axis("--stiffness", o.stiffness, "Value of the scene across the map: KEY as for --set");
  axis("--amplitude", o.amplitude,
       "Value of the scene up the map: KEY, or KEY=PATTERN with {} for the number: gravity=[0,0,-{}]");
  command.add_option("--errors", o.errors, "Bounds on the error, separated by commas, one panel each")
      ->delimiter(',')
      ->capture_default_str();
  command
      .add_option("--patience", o.patience,
                  "Runs that take this many times the best time for the smallest bound are given up")
      ->capture_default_str();
}

WinnersMap make_map(const MapOptions& given) {
  const MapOptions o = completed(given);
  WinnersMap map{.scene = "",
                 .norm = o.norm,
                 .stiffness_key = name_of(o.stiffness),
                 .amplitude_key = name_of(o.amplitude),
                 .stiffnesses = o.stiffness.values,
                 .amplitudes = o.amplitude.values,
                 .bounds = o.errors,
                 .cells = {}};
  prepare_folder(o.cells);
  for (const double amplitude : o.amplitude.values)
    for (const double stiffness : o.stiffness.values)
      map.cells.push_back({.stiffness = stiffness, .amplitude = amplitude});
  const std::size_t runs = o.integrators.size() + o.peers.size();
  o.say(fmt::format(
      "{} cells of {} candidates: about {} at worst, likely far less; what is finished is kept in {}",
      map.cells.size(), runs,
      duration_text(static_cast<double>(map.cells.size()) *
                    (o.reference_limit + 2 * static_cast<double>(runs) * o.time_limit)),
      o.cells));
  std::string kind;
  for (MapCell& cell : map.cells) {
    Place place(o, cell.stiffness, cell.amplitude);
    map.scene = place.scene.name;
    kind = place.scene.kind;
    map.duration = place.scene.simulation.duration;
    const fs::path file = file_of(o, cell);
    if (std::optional<MapCell> finished = finished_cell(file, place.settings)) {
      cell = *std::move(finished);
      continue;
    }
    o.say(fmt::format("{} {:g}, {} {:g}", map.stiffness_key, cell.stiffness, map.amplitude_key,
                      cell.amplitude));
    cell = make_cell(o, std::move(place), std::move(cell));
    write_file(file, cell_json(cell) + "\n");
    write_files(o, map, kind);
  }
  write_files(o, map, kind);
  return map;
}

int map_study(const MapOptions& given) {
  const WinnersMap map = make_map(given);
  const MapOptions o = completed(given);
  if (o.json)
    fmt::print("{}", dump(json_of(o, map)));
  else
    fmt::print("{}\n{}/{}.png, .svg, .pdf, .csv and .json\n", winners_table(map), o.output, name_of(map));
  return done;
}

}  // namespace stiffly::app
