#include "stiffly/study/winners_map.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "stiffly/error.hpp"
#include "stiffly/study/winners_text.hpp"

namespace stiffly::test {

using namespace study;
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

Measurement trial(double setting, double error, double seconds, const std::string& failure = "") {
  Measurement t;
  t.setting = setting;
  t.error = error;
  t.seconds = seconds;
  t.steps = 7;
  t.failure = failure;
  return t;
}

MapCell won() {
  return {
      .settings = R"({"norm":"position","errors":[0.1,0.01]})",
      .stiffness = 1e4,
      .amplitude = 0.5,
      .unknowns = 90,
      .motion = 0.25,
      .still = 1,
      .reference = "a, checked by b",
      .reference_difference = 1e-4,
      .entries = {
          {"verlet", "explicit", Knob::step, {trial(1, infinite, 2e-3, "it blew up"), trial(0.1, 0.05, 3)}},
          {"bdf2", "implicit", Knob::tolerance, {trial(0.1, 0.08, 12), trial(0.01, 0.005, 14)}}}};
}

WinnersMap sample() {
  MapCell lost = won(), still = won();
  lost.stiffness = still.amplitude = 1e6;
  lost.failure = "no reference for this";
  lost.entries.clear();
  still.still = 0.05;
  return {.scene = "coil",
          .norm = "position",
          .duration = 2,
          .stiffness_key = "stiffness",
          .amplitude_key = "gravity",
          .stiffnesses = {1e4, 1e6},
          .amplitudes = {0.5, 1e6},
          .bounds = {0.1, 0.01},
          .cells = {won(), lost, still, {.stiffness = 1e6, .amplitude = 1e6}}};
}

TEST(WinnersMap, CellsComeBackAsTheyWere) {
  const std::optional<MapCell> back = parse_cell(cell_json(won()));
  ASSERT_TRUE(back);
  EXPECT_EQ(cell_json(*back), cell_json(won()));
  EXPECT_EQ(back->settings, won().settings);
  EXPECT_EQ(back->unknowns, 90u);
  EXPECT_EQ(back->entries[1].knob, Knob::tolerance);
  EXPECT_EQ(back->entries[0].rungs[0].error, infinite);
  EXPECT_EQ(back->entries[0].rungs[0].failure, "it blew up");
  EXPECT_EQ(race_outcome(back->entries, 0.1).ratio(), 4);
}

TEST(WinnersMap, DamagedCellsAreNoCells) {
  const std::string whole = cell_json(won());
  for (const std::string& text : {std::string(), whole.substr(0, whole.size() / 2), std::string("[1, 2]"),
                                  std::string(R"({"stiffness": "high"})")})
    EXPECT_FALSE(parse_cell(text)) << text;
}

TEST(WinnersMap, EveryCellAndBoundIsAccountedFor) {
  const auto rows = nlohmann::json::parse(winners_json(sample()));
  ASSERT_EQ(rows.size(), 8u);
  const char* statuses[] = {"won", "no reference", "still", "not run yet",
                            "won", "no reference", "won",   "not run yet"};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(rows[i]["status"], statuses[i]) << i;
  EXPECT_EQ(rows[0]["winner"], "verlet");
  EXPECT_EQ(rows[0]["rival"], "bdf2");
  EXPECT_EQ(rows[0]["ratio"], 4);
  EXPECT_EQ(rows[4]["winner"], "bdf2");
  EXPECT_TRUE(rows[4]["rival"].is_null());
  EXPECT_TRUE(rows[1]["winner"].is_null());

  const std::string table = winners_table(sample()), csv = winners_csv(sample());
  for (const char* text :
       {"no reference for this", "standing still", "not run yet", "bdf2 4x", "no other family"})
    EXPECT_NE(table.find(text), std::string::npos) << text << "\n" << table;
  std::size_t line = 0;
  for (std::size_t end; (end = csv.find('\n', line)) != std::string::npos; line = end + 1)
    EXPECT_EQ(std::count(csv.begin() + static_cast<long>(line), csv.begin() + static_cast<long>(end), ','),
              12);
}

TEST(WinnersMap, TheColourIsTheFamilysAndStrongerInTheLead) {
  WinnersMap map = sample();
  const TileChart chart = winners_chart(map);
  ASSERT_EQ(chart.panels.size(), 2u);
  ASSERT_EQ(chart.panels[0].tiles.size(), 4u);
  ASSERT_EQ(chart.legend.size(), 2u);
  EXPECT_EQ(chart.legend[1].second, "implicit");
  EXPECT_EQ(chart.panels[0].tiles[0].lines,
            (std::vector<std::string>{"verlet", "3 s", "bdf2 4x", "moves 0.25"}));
  EXPECT_EQ(chart.panels[0].tiles[1].lines[0], "no reference");
  for (std::size_t channel = 0; channel < 3; ++channel)  // without a rival: the full colour
    EXPECT_NEAR(chart.panels[1].tiles[0].color[channel], chart.legend[1].first[channel], 1e-6);
  const Color ahead = chart.panels[0].tiles[0].color;
  EXPECT_NE(ahead, chart.legend[0].first);
  map.cells[0].entries[1].rungs[0].seconds = 3.1;
  const Color level = winners_chart(map).panels[0].tiles[0].color;
  for (std::size_t channel = 0; channel < 3; ++channel) EXPECT_GT(level[channel], ahead[channel]);
}

TEST(WinnersMap, KnowsTheFamilies) {
  EXPECT_EQ(family_of("verlet"), "explicit");
  EXPECT_EQ(family_of("dopri5"), "explicit");
  EXPECT_EQ(family_of("ros3pl"), "implicit");
  EXPECT_EQ(family_of("bdf2"), "implicit");
  EXPECT_EQ(family_of("exprb42"), "exponential");
  EXPECT_EQ(family_of("gautschi"), "exponential");
  EXPECT_EQ(family_of("auto"), "automatic");
  EXPECT_THROW(family_of("verlot"), InputError);
}

}  // namespace
}  // namespace stiffly::test
