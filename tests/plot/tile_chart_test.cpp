#include "stiffly/plot/tile_chart.hpp"

#include <gtest/gtest.h>

#include "ink.hpp"

namespace stiffly::test {
namespace {

constexpr Color tile_red = {1, 0, 0}, tile_blue = {0, 0, 1};

TileChart sample_tiles() {
  return {.title = "tiles",
          .x_label = "x",
          .y_label = "y",
          .columns = {"left", "right"},
          .rows = {"low", "high"},
          .panels = {{"one", {{tile_red, {"a", "b"}}, {}, {}, {tile_blue, {"a < b"}}}}},
          .legend = {{tile_red, "reds"}},
          .footer = "small print"};
}

TEST(TileChart, HasAllItsWordsWhereTheyCanBeRead) {
  const Canvas canvas = draw(sample_tiles());
  for (const char* expected :
       {"tiles", "x", "y", "left", "right", "low", "high", "one", "a", "b", "a < b", "reds", "small print"})
    EXPECT_TRUE(find_label(canvas, expected)) << expected;
  expect_readable(canvas);
}

TEST(TileChart, TheFirstTileIsLowAndLeft) {
  const TileLayout layout = lay_out(sample_tiles());
  const Image image = rasterize(draw(sample_tiles()));
  for (const auto& [index, color] : {std::pair(0, tile_red), std::pair(3, tile_blue)}) {
    const Rectangle tile = layout.tile(0, static_cast<std::size_t>(index));
    const int inside = count(image, color, tile);
    EXPECT_GT(inside, 0.7 * tile.width * tile.height);
    EXPECT_EQ(count(image, color, layout.panel(0)), inside);
  }
  const Rectangle a = layout.tile(0, 0), b = layout.tile(0, 3);
  EXPECT_LE(a.right(), b.x + 1e-9);
  EXPECT_GE(a.y, b.bottom() - 1e-9);
}

TEST(TileChart, WordsAreInTheirTiles) {
  TileChart chart = sample_tiles();
  chart.panels[0].tiles[0].lines = {"a name that is very much longer", "first", "second", "third", "fourth"};
  const Canvas canvas = draw(chart);
  const Rectangle tile = lay_out(chart).tile(0, 0);
  for (const std::string& line : chart.panels[0].tiles[0].lines) {
    const Label* label = find_label(canvas, line);
    ASSERT_TRUE(label) << line;
    EXPECT_TRUE(label->box.x > tile.x && label->box.right() < tile.right() && label->box.y > tile.y &&
                label->box.bottom() < tile.bottom())
        << line;
  }
  expect_readable(canvas);
}

TEST(TileChart, TilesGrowWithTheirWords) {
  TileChart chart = sample_tiles();
  const TileLayout before = lay_out(chart);
  chart.panels[0].tiles[0].lines = {"a name that is very much longer", "1", "2", "3", "4"};
  const TileLayout after = lay_out(chart);
  EXPECT_GT(after.tile_width, before.tile_width + 100);
  EXPECT_GT(after.tile_height, before.tile_height + 40);
  EXPECT_GT(after.width, before.width);
}

TEST(TileChart, PanelsStandSideBySideWhileThereIsRoom) {
  TileChart chart = sample_tiles();
  for (int k = 0; k < 6; ++k) chart.panels.push_back(chart.panels[0]);
  const TileLayout layout = lay_out(chart);
  EXPECT_GT(layout.panels_across, 1u);
  EXPECT_LT(layout.panels_across, 7u);
  for (std::size_t a = 0; a < 7; ++a) {
    EXPECT_LT(layout.panel(a).right(), layout.width);
    EXPECT_LT(layout.panel(a).bottom(), layout.legend);
    for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(overlap(layout.panel(a), layout.panel(b)));
  }
  expect_readable(draw(chart));
}

TEST(TileChart, AnEmptyOneIsStillAChart) {
  expect_readable(draw(TileChart{.title = "empty",
                                 .x_label = "x",
                                 .y_label = "y",
                                 .columns = {},
                                 .rows = {},
                                 .panels = {},
                                 .legend = {}}));
}

}  // namespace
}  // namespace stiffly::test
