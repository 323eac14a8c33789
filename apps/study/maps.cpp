#include "maps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "map_study.hpp"
#include "rows.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/text.hpp"
#include "study_output.hpp"

namespace stiffly::app {

using namespace study;
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct MapCase {
  std::string scene, about;
  std::vector<std::string> settings;
  std::string duration, stiffness;
  std::vector<double> stiffnesses;
  std::vector<double> gravities;
  std::vector<double> errors;
};

const std::vector<MapCase>& map_cases() {
  static const std::vector<MapCase> all = {
      {"bunny",
       "A light body (10 g a particle) of soft edges (100 N/m) and stiff diagonals, at rest until a downward "
       "field is switched on: it trembles in many modes at once. Across: the stiffness of the diagonals in "
       "N/m. Up: the field in m/s², which sets the amplitude.",
       {"size=small", "particle_mass=0.01", "phi_tolerance=3e-3", "phi_norm=smoothed"},
       "0.25",
       "diagonal_stiffness",
       {1e4, 1e6, 1e8},
       {1e-3, 1e-2, 1e-1},
       {0.1, 0.03, 0.01}},
      {"chain",
       "Thirty particles in a row, pinned at one end and released horizontally: a stand-in for hair. Across: "
       "the stiffness of the links in N/m. Up: gravity in m/s², which sets how far the chain swings.",
       {"phi_tolerance=1e-5"},
       "1",
       "stiffness",
       {1e3, 1e5, 1e7},
       {0.1, 1, 10},
       {0.1, 0.01, 0.001}},
  };
  return all;
}

fs::path figures(const MapsOptions& o) { return fs::path(o.output) / "figures"; }
fs::path cells(const MapsOptions& o, const MapCase& c) { return fs::path(o.output) / "maps" / c.scene; }

MapOptions options_of(const MapsOptions& o, const MapCase& c) {
  MapOptions out;
  out.scene = c.scene;
  out.settings = c.settings;
  out.duration = c.duration;
  out.stiffness = {c.stiffness, c.stiffnesses};
  out.amplitude = {"gravity=[0,0,-{}]", c.gravities};
  out.errors = c.errors;
  out.agreement = 0.1;
  out.moments = 5;
  out.time_limit = o.time_limit;
  out.reference_limit = o.reference_limit;
  out.output = figures(o).string();
  out.cells = cells(o, c).string();
  return out;
}

std::string text(const Json& value, const char* format = "{:.2g}") {
  if (value.is_null()) return "–";
  return value.is_string() ? value.get<std::string>()
                           : fmt::format(fmt::runtime(format), value.get<double>());
}

std::string row(const Json& r) {
  const bool won = r.at("status") == "won";
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} |\n", text(r.at("bound")), text(r.at("stiffness")),
      text(r.at("amplitude")), text(r.at("motion")),
      won ? fmt::format("{} ({})", text(r.at("winner")), text(r.at("family"))) : text(r.at("status")),
      won ? duration_text(r.at("seconds").get<double>()) : "–",
      r.at("rival").is_null()
          ? "–"
          : fmt::format("{}, {} times the time", text(r.at("rival")), text(r.at("ratio"))));
}

std::string section(const MapsOptions& o, const MapCase& c) {
  const std::string name = "map-" + c.scene;
  const fs::path file = figures(o) / (name + ".json");
  std::string out = fmt::format("\n## {}\n\n{}\n\n", c.scene, c.about);
  if (!fs::exists(file)) return out + "Not run yet.\n";
  const Json json = Json::parse(read_file(file, 1 << 24));
  out += fmt::format(
      "![who is fastest on the scene {0}](figures/{1}.svg)\n\n"
      "{2} s simulated, errors in {3}.\n\n"
      "| error | {4} | gravity | motion | fastest | time | best of another family "
      "|\n|---|---|---|---|---|---|---|\n",
      c.scene, name, text(json.at("duration"), "{:g}"), json.at("norm").get<std::string>(), c.stiffness);
  for (const Json& r : json.at("results")) out += row(r);
  return out;
}

void write_page(const MapsOptions& o) {
  std::string page =
      "# Who is fastest where\n\nMade by `stiffly reproduce maps`. Every candidate goes down a ladder of "
      "steps or tolerances; its time for an error bound is that of its cheapest run within the bound. The "
      "colour of a tile is the family of the fastest, the stronger the further it is ahead; below its name "
      "and time stand the best of all other families, with the ratio of the times, and how far the body "
      "moves, relative to its size. Runs that took more than four times the best time for the smallest bound "
      "were given up, so that \"no other family\" means none within that.\n";
  for (const MapCase& c : map_cases()) page += section(o, c);
  write_file(fs::path(o.output) / "maps.md", page + fmt::format("\n{}\n", footer()));
}

}  // namespace

int maps_of_winners(const MapsOptions& o) {
  std::vector<std::string> names;
  for (const MapCase& c : map_cases()) names.push_back(c.scene);
  check_rows(o.scenes, names, "a scene");
  for (const MapCase& c : map_cases()) {
    if (!o.scenes.empty() && std::ranges::find(o.scenes, c.scene) == o.scenes.end()) continue;
    if (o.again) fs::remove_all(cells(o, c));
    make_map(options_of(o, c));
    write_page(o);
  }
  write_page(o);
  fmt::print("{}/maps.md\n", o.output);
  return done;
}

}  // namespace stiffly::app
