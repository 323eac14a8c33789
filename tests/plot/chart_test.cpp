#include "stiffly/plot/chart.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "stiffly/files/xml.hpp"
#include "stiffly/plot/canvas.hpp"

namespace stiffly::test {
namespace {

Chart sample() {
  return {.title = "a < b & c",
          .x_label = "x",
          .y_label = "y",
          .log_x = true,
          .log_y = true,
          .markers = true,
          .series = {{"one", {1, 10, 100}, {1, 2, 4}}},
          .footer = "small print"};
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

constexpr const char* first_color = "#2961a3";

TEST(Chart, SvgIsADocumentWithAllTheText) {
  const std::string svg = draw_svg(sample());
  const XmlElement root = parse_xml(svg, "chart", "");
  EXPECT_EQ(root.name, "svg");
  std::vector<std::string> texts;
  for (const XmlElement& e : root.children)
    if (e.name == "text") texts.emplace_back(e.text);
  for (const char* expected : {"a &lt; b &amp; c", "x", "y", "one", "small print", "1", "10", "100"})
    EXPECT_NE(std::find(texts.begin(), texts.end(), expected), texts.end()) << expected;
  EXPECT_EQ(count(svg, first_color), 2 + 3 + 1);  // lines, markers, legend
}

TEST(Chart, FailuresAreCrossesAtTheEdge) {
  Chart chart = sample();
  chart.series[0].x.push_back(std::numeric_limits<double>::infinity());
  chart.series[0].y.push_back(3);
  const std::string svg = draw_svg(chart);
  EXPECT_EQ(count(svg, first_color), 2 + 3 + 1 + 2);  // and two strokes
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  chart.series[0].x.back() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(count(draw_svg(chart), first_color), 2 + 3 + 1);
  // In pixels too: something of the colour beyond the last mark of the axis.
  chart.series[0].x.back() = std::numeric_limits<double>::infinity();
  const auto coloured = [](const Image& image) {
    int n = 0;
    for (int y = 70; y < image.height() - 90; ++y)
      for (int x = 991; x < 1000; ++x) n += image.at(x, y)[0] < 0.6f && image.at(x, y)[2] > 0.5f;
    return n;
  };
  EXPECT_GT(coloured(draw(chart)), coloured(draw(sample())));
}

TEST(Chart, NothingToShowIsStillAChart) {
  Chart chart = sample();
  chart.series = {{"failed", {std::numeric_limits<double>::infinity()}, {2}}};
  EXPECT_NO_THROW(draw(chart));
  EXPECT_EQ(draw_svg(chart).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace stiffly::test
