#include "stiffly/study/winners_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stiffly/plot/axis.hpp"
#include "stiffly/plot/palette.hpp"
#include "stiffly/text.hpp"

namespace stiffly::study {
namespace {

using Json = nlohmann::ordered_json;

/// A cell at one bound.
struct Square {
  const MapCell* cell;
  double bound;
  const char* status;  ///< "won", "nobody", "still", "no reference" or "not run yet"
  RaceOutcome result;
};

Square square_of(const MapCell& cell, double bound) {
  Square out{&cell, bound, "won", {}};
  if (cell.unknowns == 0)
    out.status = "not run yet";
  else if (!cell.failure.empty())
    out.status = "no reference";
  else if (cell.still <= bound)
    out.status = "still";
  else if (out.result = race_outcome(cell.entries, bound); !out.result.winner)
    out.status = "nobody";
  return out;
}

std::vector<Square> squares_of(const WinnersMap& map) {
  std::vector<Square> out;
  for (const double bound : map.bounds)
    for (const MapCell& cell : map.cells) out.push_back(square_of(cell, bound));
  return out;
}

/// What there is to say where nobody has won.
std::string shortfall(const Square& s) {
  if (s.status == std::string_view("still")) return "standing still is within the bound";
  if (s.status == std::string_view("nobody")) return "none in time";
  return s.cell->failure.empty() ? s.status : s.cell->failure;
}

std::string rival_text(const RaceOutcome& r) {
  return r.rival ? fmt::format("{} {:.2g}x", r.rival->name, r.ratio()) : "no other family";
}

const std::vector<std::pair<std::string, Color>> family_colors = {{"explicit", palette::blue},
                                                                  {"implicit", palette::green},
                                                                  {"exponential", palette::orange},
                                                                  {"automatic", palette::purple}};

Color color_of(const std::string& family) {
  const auto at = std::ranges::find(family_colors, family, &std::pair<std::string, Color>::first);
  return at == family_colors.end() ? palette::vermilion : at->second;
}

/// From pale, level with the rival, to full, ten times faster.
Color color_of(const RaceOutcome& r) {
  const double lead = r.rival ? std::clamp(std::log10(r.ratio()), 0.0, 1.0) : 1;
  return mix(mix(palette::paper, color_of(r.winner->family), 0.35f), color_of(r.winner->family),
             static_cast<float>(lead));
}

Tile tile_of(const Square& s) {
  Tile out{palette::faint, {s.status}};
  if (const RaceOutcome& r = s.result; r.winner)
    out = {color_of(r), {r.winner->name, duration_text(r.winning->seconds), rival_text(r)}};
  if (s.cell->motion > 0) out.lines.push_back("moves " + number_text(s.cell->motion, 2));
  return out;
}

/// Families of those who ran, in the order of their colours.
std::vector<std::pair<Color, std::string>> legend_of(const WinnersMap& map) {
  std::vector<std::string> families;
  for (const MapCell& cell : map.cells)
    for (const RaceEntry& entry : cell.entries)
      if (std::ranges::find(families, entry.family) == families.end()) families.push_back(entry.family);
  std::vector<std::pair<Color, std::string>> out;
  for (const std::string& family : families) out.emplace_back(color_of(family), family);
  return out;
}

}  // namespace

std::string winners_table(const WinnersMap& map) {
  std::string out =
      fmt::format("{}: {:.4g} s, error in {}\n{:<8} {:>12} {:>12} {:>9}  {}\n", map.scene, map.duration,
                  map.norm, "error", map.stiffness_key.substr(0, 12), map.amplitude_key.substr(0, 12),
                  "moves", "winner, and the best of another family");
  for (const Square& s : squares_of(map)) {
    const RaceOutcome& r = s.result;
    out += fmt::format("{:<8.3g} {:>12.4g} {:>12.4g} {:>9.2g}  {}\n", s.bound, s.cell->stiffness,
                       s.cell->amplitude, s.cell->motion,
                       r.winner ? fmt::format("{:<20} {:>9}   {}", r.winner->name,
                                              duration_text(r.winning->seconds), rival_text(r))
                                : shortfall(s));
  }
  return out;
}

std::string winners_csv(const WinnersMap& map) {
  std::string out =
      "bound,stiffness,amplitude,motion,status,winner,family,setting,error,seconds,rival,rival_family,"
      "rival_seconds\n";
  for (const Square& s : squares_of(map)) {
    const RaceOutcome& r = s.result;
    out += fmt::format("{:.9g},{:.9g},{:.9g},{:.4g},{}", s.bound, s.cell->stiffness, s.cell->amplitude,
                       s.cell->motion, s.status);
    out += r.winner ? fmt::format(",{},{},{:.6g},{:.4g},{:.4g}", r.winner->name, r.winner->family,
                                  r.winning->setting, r.winning->error, r.winning->seconds)
                    : ",,,,,";
    out += r.rival ? fmt::format(",{},{},{:.4g}\n", r.rival->name, r.rival->family, r.rivalling->seconds)
                   : ",,,\n";
  }
  return out;
}

std::string winners_json(const WinnersMap& map) {
  Json out = Json::array();
  for (const Square& s : squares_of(map)) {
    const RaceOutcome& r = s.result;
    Json row = {{"bound", s.bound},
                {"stiffness", s.cell->stiffness},
                {"amplitude", s.cell->amplitude},
                {"motion", s.cell->motion},
                {"status", s.status},
                {"why", r.winner ? "" : shortfall(s)}};
    row["winner"] = r.winner ? Json(r.winner->name) : Json(nullptr);
    row["family"] = r.winner ? Json(r.winner->family) : Json(nullptr);
    row["setting"] = r.winner ? Json(r.winning->setting) : Json(nullptr);
    row["error"] = r.winner ? Json(r.winning->error) : Json(nullptr);
    row["seconds"] = r.winner ? Json(r.winning->seconds) : Json(nullptr);
    row["rival"] = r.rival ? Json(r.rival->name) : Json(nullptr);
    row["ratio"] = r.rival ? Json(r.ratio()) : Json(nullptr);
    out.push_back(std::move(row));
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

TileChart winners_chart(const WinnersMap& map) {
  TileChart out{
      .title = fmt::format("{}: fastest at equal error in {}, {:.3g} s", map.scene, map.norm, map.duration),
      .x_label = map.stiffness_key,
      .y_label = map.amplitude_key,
      .columns = {},
      .rows = {},
      .panels = {},
      .legend = legend_of(map)};
  for (const double value : map.stiffnesses) out.columns.push_back(number_text(value));
  for (const double value : map.amplitudes) out.rows.push_back(number_text(value));
  for (const double bound : map.bounds) {
    TilePanel panel{fmt::format("error at most {:.3g}", bound), {}};
    for (const MapCell& cell : map.cells) panel.tiles.push_back(tile_of(square_of(cell, bound)));
    out.panels.push_back(std::move(panel));
  }
  return out;
}

}  // namespace stiffly::study
