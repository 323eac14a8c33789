#include "stiffly/plot/tile_chart.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "stiffly/files/xml.hpp"

namespace stiffly::test {
namespace {

constexpr Color red = {1, 0, 0}, blue = {0, 0, 1};

TileChart sample() {
  return {.title = "tiles",
          .x_label = "x",
          .y_label = "y",
          .columns = {"left", "right"},
          .rows = {"low", "high"},
          .panels = {{"one", {{red, {"a", "b"}}, {}, {}, {blue, {"a < b"}}}}},
          .legend = {{red, "reds"}},
          .footer = "small print"};
}

TEST(TileChart, SvgHasAllTheTextAndTheTilesInTheirPlaces) {
  const std::string svg = draw_svg(sample());
  const XmlElement root = parse_xml(svg, "tiles", "");
  std::vector<std::string> texts;
  for (const XmlElement& e : root.children)
    if (e.name == "text") texts.emplace_back(e.text);
  for (const char* expected : {"tiles", "x", "y", "left", "right", "low", "high", "one", "a", "b", "a &lt; b",
                               "reds", "small print"})
    EXPECT_NE(std::ranges::find(texts, expected), texts.end()) << expected;
}

TEST(TileChart, TheFirstTileIsLowAndLeft) {
  const Image image = draw(sample());
  struct Place {
    double x = 0, y = 0;
    int count = 0;
  };
  const auto centre = [&](const Color& color) {
    Place out;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (image.at(x, y) == color) out.x += x, out.y += y, ++out.count;
    out.x /= out.count;
    out.y /= out.count;
    return out;
  };
  const Place a = centre(red), b = centre(blue);
  EXPECT_GT(a.count, 1000);
  EXPECT_GT(b.count, 1000);
  EXPECT_LT(a.x + 50, b.x);
  EXPECT_GT(a.y, b.y + 20);
}

TEST(TileChart, TilesGrowWithTheirWords) {
  TileChart chart = sample();
  const Image before = draw(chart);
  chart.panels[0].tiles[0].lines = {"a name that is very much longer", "1", "2", "3", "4"};
  const Image after = draw(chart);
  EXPECT_GT(after.width(), before.width() + 200);
  EXPECT_GT(after.height(), before.height() + 80);
}

}  // namespace
}  // namespace stiffly::test
