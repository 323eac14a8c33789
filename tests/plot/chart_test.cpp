// Charts: ink where the data are, words that can be read, failures that are shown.
#include "stiffly/plot/chart.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "ink.hpp"
#include "stiffly/plot/palette.hpp"

namespace stiffly::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

Chart sample() {
  return {.title = "a < b & c",
          .x_label = "x (m)",
          .y_label = "y (s)",
          .log_x = true,
          .log_y = true,
          .markers = true,
          .series = {{"one", {1, 10, 100}, {1, 2, 4}}, {"two", {1, 10, 100}, {9, 7, 8}}},
          .footer = "small print"};
}

Rectangle around(Pixel p, double reach) { return {p.x - reach, p.y - reach, 2 * reach, 2 * reach}; }

TEST(Chart, HasAllItsWords) {
  const Canvas canvas = draw(sample());
  for (const char* text :
       {"a < b & c", "x (m)", "y (s)", "one", "two", "small print", "1", "10", "100", "2", "5"})
    EXPECT_TRUE(find_label(canvas, text)) << text;
  EXPECT_EQ(find_label(canvas, "failed"), nullptr);
}

TEST(Chart, InkIsWhereTheDataAre) {
  for (const bool logarithmic : {false, true})
    for (const bool markers : {false, true}) {
      Chart chart = sample();
      chart.log_x = chart.log_y = logarithmic;
      chart.markers = markers;
      const ChartLayout at = lay_out(chart);
      const Image image = rasterize(draw(chart));
      ASSERT_EQ(image.width(), at.width);
      ASSERT_EQ(image.height(), at.height);
      for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t i = 0; i < 3; ++i) {
          const Pixel here = at.at(chart.series[s].x[i], chart.series[s].y[i]);
          EXPECT_GT(count(image, palette::distinct[s], around(here, 4)), 0) << s << " " << i;
          EXPECT_EQ(count(image, palette::distinct[1 - s], around(here, 4)), 0) << s << " " << i;
          EXPECT_TRUE(here.x >= at.plot.x && here.x <= at.plot.right() && here.y >= at.plot.y &&
                      here.y <= at.plot.bottom());
        }
      // Half-way between two points, the line; away from the curves, nothing.
      const Pixel a = at.at(1, 1), b = at.at(10, 2);
      EXPECT_GT(count(image, palette::blue, around({(a.x + b.x) / 2, (a.y + b.y) / 2}, markers ? 3 : 12)), 0);
      EXPECT_EQ(count(image, palette::blue, {at.plot.x, at.plot.y, at.plot.width, at.plot.height / 4}), 0);
    }
}

TEST(Chart, ScalesGoUpAndToTheRight) {
  const ChartLayout at = lay_out(sample());
  EXPECT_LT(at.at(1, 1).x, at.at(10, 1).x);
  EXPECT_NEAR(at.at(10, 1).x - at.at(1, 1).x, at.at(100, 1).x - at.at(10, 1).x, 1e-9);
  EXPECT_GT(at.at(1, 1).y, at.at(1, 2).y);
}

TEST(Chart, LabelsOfTicksStandAtTheirTicks) {
  Chart chart = sample();
  chart.series = {{"one", {1, 10, 100}, {0.01, 0.07, 0.1}}};
  const ChartLayout at = lay_out(chart);
  const Canvas canvas = draw(chart);
  const Label *across = find_label(canvas, "50"), *up = find_label(canvas, "0.05");
  ASSERT_TRUE(across && up);
  EXPECT_NEAR(across->box.centre().x, at.at(50, 1).x, 2);
  EXPECT_GT(across->box.y, at.plot.bottom());
  EXPECT_NEAR(up->box.centre().y, at.at(1, 0.05).y, 2);
  EXPECT_LT(up->box.right(), at.plot.x);
}

TEST(Chart, CurvesRunAlongXUnlessTheirOrderMeansSomething) {
  Chart sorted = sample(), shuffled = sample();
  for (Series& s : shuffled.series)
    std::swap(s.x[0], s.x[2]), std::swap(s.y[0], s.y[2]), std::swap(s.x[1], s.x[2]),
        std::swap(s.y[1], s.y[2]);
  EXPECT_EQ(unlike(rasterize(draw(shuffled)), rasterize(draw(sorted))), 0);
  for (Series& s : shuffled.series) s.order = Order::given;
  EXPECT_GT(unlike(rasterize(draw(shuffled)), rasterize(draw(sorted))), 100);
}

TEST(Chart, FailuresAreCrossesBesideTheAxes) {
  Chart chart = sample();
  chart.series[0].x.push_back(infinity);
  chart.series[0].y.push_back(3);
  chart.series[1].x.push_back(30);
  chart.series[1].y.push_back(infinity);
  const ChartLayout at = lay_out(chart);
  ASSERT_TRUE(at.failed_x && at.failed_y);
  EXPECT_GE(at.failed_x->x, at.plot.right());
  EXPECT_LE(at.failed_y->bottom(), at.plot.y);
  const Canvas canvas = draw(chart);
  const Image image = rasterize(canvas);
  EXPECT_GT(count(image, palette::blue, *at.failed_x), 3);
  EXPECT_EQ(count(image, palette::vermilion, *at.failed_x), 0);
  EXPECT_GT(count(image, palette::vermilion, *at.failed_y), 3);
  EXPECT_EQ(count(image, palette::blue, *at.failed_y), 0);
  EXPECT_TRUE(find_label(canvas, "failed"));
  for (const Label& label : canvas.labels()) EXPECT_EQ(label.text.find("inf"), std::string::npos);
  // What is not a number is neither.
  chart.series[0].x.back() = nan;
  EXPECT_FALSE(lay_out(chart).failed_x);
  EXPECT_EQ(encode_svg(draw(chart)).find("nan"), std::string::npos);
}

TEST(Chart, ACurveThatBreaksOffEndsInACross) {
  Chart chart = sample();
  chart.markers = false;
  const ChartLayout at = lay_out(chart);
  const auto at_the_end = [&](const Chart& c) {
    return count(rasterize(draw(c)), palette::blue, around(at.at(100, 4), 6));
  };
  const int before = at_the_end(chart);
  chart.series[0].breaks_off = true;
  EXPECT_GT(at_the_end(chart), before + 8);
}

TEST(Chart, CurvesAreInterruptedWhereThereIsNoValue) {
  Chart chart = sample();
  chart.series = {{"one", {1, 2, 3, 4, 5}, {1, 1, nan, 1, 1}}};
  chart.log_x = chart.log_y = chart.markers = false;
  const ChartLayout at = lay_out(chart);
  const Image image = rasterize(draw(chart), 3);
  const auto inked = [&](double x) {
    const Pixel p = at.at(x, 1);
    return count(image, palette::blue, around({3 * p.x, 3 * p.y}, 15));
  };
  EXPECT_GT(inked(1.5), 0);
  EXPECT_EQ(inked(3), 0);
  EXPECT_GT(inked(4.5), 0);
}

TEST(Chart, ManyPointsKeepTheirExtremes) {
  Chart chart = sample();
  chart.markers = chart.log_x = chart.log_y = false;
  constexpr std::size_t n = 200'000;
  Series s{"noise", std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i)
    s.x[i] = 0.07 * static_cast<double>(i), s.y[i] = std::sin(1.3 * static_cast<double>(i));
  s.y[n / 3] = 30;
  s.y[n / 2] = -20;
  chart.series = {s};
  const ChartLayout at = lay_out(chart);
  const Canvas canvas = draw(chart);
  const Image image = rasterize(canvas);
  for (const std::size_t i : {n / 3, n / 2})
    EXPECT_GT(count(image, palette::blue, around(at.at(s.x[i], 0.6 * s.y[i]), 3)), 0) << i;
  EXPECT_GT(count(image, palette::blue, around(at.at(s.x[n / 5], 0), 3)), 0);
  EXPECT_LT(encode_svg(canvas).size(), 1'000'000u);
}

TEST(Chart, CurvesCanBeToldApartWithoutColour) {
  for (const bool markers : {false, true}) {
    std::vector<std::string> pictures;
    for (std::size_t k = 0; k < 5; ++k) {  // the k-th curve alone in its place, in black
      Chart chart = sample();
      chart.markers = markers;
      chart.series.assign(5, {"", {}, {}});
      chart.series[k] = {"", {1, 3, 10, 30, 100}, {1, 2, 1, 3, 1}};
      const Image image = rasterize(draw(chart));
      const Rectangle plot = lay_out(chart).plot;
      std::string inked;
      for (int y = static_cast<int>(plot.y); y < plot.bottom(); ++y)
        for (int x = static_cast<int>(plot.x); x < plot.right(); ++x)
          inked += same(image.at(x, y), palette::distinct[k]) ? '#' : ' ';
      for (const std::string& other : pictures) {
        int unlike = 0;
        for (std::size_t i = 0; i < inked.size(); ++i) unlike += inked[i] != other[i];
        EXPECT_GT(unlike, 50);
      }
      pictures.push_back(inked);
    }
  }
  for (std::size_t a = 0; a < palette::distinct.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(same(palette::distinct[a], palette::distinct[b]));
}

TEST(Chart, AGuideIsALineOverTheWholeHeightAndInTheLegend) {
  Chart chart = sample();
  chart.guides = {{"bound 0.3", 0.3}};  // left of all points
  const ChartLayout at = lay_out(chart);
  const Canvas canvas = draw(chart);
  const Image image = rasterize(canvas, 3);
  const double x = at.at(0.3, 1).x;
  EXPECT_GE(x, at.plot.x);
  for (const double y : {at.plot.y, at.plot.bottom() - 12})
    EXPECT_GT(count(image, palette::pale_ink, {3 * x - 6, 3 * y, 12, 36}), 0);
  EXPECT_TRUE(find_label(canvas, "bound 0.3"));
}

TEST(Chart, WordsNeverLieOnEachOtherNorOnData) {
  std::vector<Chart> charts = {sample()};
  Chart many = sample();
  for (int i = 0; i < 40; ++i)
    many.series.push_back(
        {fmt::format("a method with a long name, number {}", i), {0.02, 3e7}, {1e-9, 4e5 + i}});
  many.series[3].x.push_back(infinity), many.series[3].y.push_back(1);
  many.series[4].x.push_back(1), many.series[4].y.push_back(infinity);
  charts.push_back(many);
  Chart offset = sample();
  offset.log_x = offset.log_y = false;
  offset.series = {{"energy", {0, 0.1, 0.2}, {177.15701, 177.15703, 177.15708}}};
  charts.push_back(offset);
  offset.series = {{"many digits, and a name that leaves the least room for the plot",
                    {1e9, 1e9 + 31, 1e9 + 70},
                    {1, 2, 3}}};
  charts.push_back(offset);
  offset.series = {{"large", {1e9, 1.07e9, 1.3e9}, {-3.1e-8, 2.7e-8, 0}}};
  charts.push_back(offset);
  Chart words = sample();
  for (std::string* text : {&words.title, &words.x_label, &words.y_label, &words.footer})
    for (int i = 0; i < 30; ++i) *text += " and further words";
  charts.push_back(words);
  for (const double decades : {0.01, 0.3, 1.0, 2.5, 7.0, 40.0, 200.0}) {
    Chart range = sample();
    range.series = {{"range", {0.07, 0.07 * std::pow(10, decades)}, {3e-5, 3e-5 * std::pow(10, decades)}}};
    charts.push_back(range);
  }
  for (const Chart& chart : charts) {
    const Canvas canvas = draw(chart);
    expect_readable(canvas);
    const Rectangle plot = lay_out(chart).plot;
    for (const Label& label : canvas.labels()) EXPECT_FALSE(overlap(label.box, plot)) << label.text;
    for (const Series& s : chart.series) EXPECT_TRUE(find_label(canvas, s.name)) << s.name;
  }
}

TEST(Chart, NothingToShowIsStillAChart) {
  Chart chart = sample();
  for (const std::vector<Series>& nothing : {std::vector<Series>{},
                                             {{"failed", {infinity}, {2}}},
                                             {{"failed", {infinity}, {infinity}}},
                                             {{"none", {nan}, {nan}}}}) {
    chart.series = nothing;
    expect_readable(draw(chart));
    EXPECT_EQ(encode_svg(draw(chart)).find("nan"), std::string::npos);
  }
}

}  // namespace
}  // namespace stiffly::test
