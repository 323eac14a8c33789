// Pictures: what must be seen is there, and nothing odd in the input breaks them.
#include "stiffly/plot/picture.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/plot/render.hpp"

namespace stiffly {
namespace {

std::size_t pixels_unlike(const Image& image, const Image& other) {
  std::size_t count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) count += image.at(x, y) != other.at(x, y);
  return count;
}

const std::vector<std::array<double, 3>> square = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
const std::vector<std::array<int, 3>> two_triangles = {{0, 1, 2}, {0, 2, 3}};
const std::vector<std::pair<int, int>> one_line = {{0, 2}};

TEST(Render, ASquareCoversItsArea) {
  const Camera camera(square);
  const std::vector<Color> red(4, Color{1, 0, 0});
  const Image with = render({square, two_triangles, {}, red}, camera, 200, 200);
  std::size_t reddish = 0;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 200; ++x) reddish += with.at(x, y)[0] > 1.5f * with.at(x, y)[1];
  // Seen from 16° above with a margin of 6 %: a rectangle of 176 × 176 cos 16°.
  EXPECT_NEAR(static_cast<double>(reddish), 176 * 176 * std::cos(16 * M_PI / 180), 600);
}

TEST(Render, NearTrianglesHideFarOnes) {
  // The same triangle twice, the second nearer to a viewer at −y.
  std::vector<std::array<double, 3>> x = {{0, 0, 0},     {1, 0, 0},     {0.5, 0, 1},
                                          {0, -0.01, 0}, {1, -0.01, 0}, {0.5, -0.01, 1}};
  std::vector<Color> colors(6, Color{0, 0, 1});
  for (std::size_t i = 3; i < 6; ++i) colors[i] = {1, 0, 0};
  const std::vector<std::array<int, 3>> both = {{3, 4, 5}, {0, 1, 2}};
  const Image image = render({x, both, {}, colors}, Camera(x), 100, 100);
  const Color middle = image.at(50, 55);
  EXPECT_GT(middle[0], 2 * middle[2]);
}

TEST(Render, LinesAndBallsWhereThereAreNoTriangles) {
  const Camera camera(square);
  const std::vector<Color> blue(4, Color{0, 0, 1});
  const Image empty = render({square, {}, {}, blue}, camera, 100, 100),
              lines = render({square, {}, one_line, blue}, camera, 100, 100);
  EXPECT_GT(pixels_unlike(lines, empty), 50u);
}

TEST(ContactSheet, GrowsWithItsMomentsAndTakesDegenerateScenes) {
  Moment m{0, square, {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
  const std::vector<Moment> one = {m}, six(6, m);
  EXPECT_GT(contact_sheet("a", {two_triangles, {}}, six).width(),
            contact_sheet("a", {two_triangles, {}}, one).width());
  const std::vector<Moment> point = {{0, {{1, 2, 3}}, {{0, 0, 0}}}};
  EXPECT_GT(contact_sheet("point", {}, point).height(), 0);
  const std::vector<Moment> column = {{0, {{0, 0, 0}, {0, 0, 9}}, {{0, 0, 0}, {0, 0, 0}}}};
  EXPECT_GT(contact_sheet("column", {}, column).height(), 0);
}

TEST(Plot, TakesConstantsAndSinglePoints) {
  const std::vector<double> times = {0, 1, 2}, once = {0};
  const std::vector<Curve> flat = {{"x0", {5, 5, 5}}}, single = {{"x0", {1}}},
                           waves = {{"a", {0, 1, 0}}, {"b", {0, -1e9, 1e9}}};
  EXPECT_GT(plot("flat", times, flat).width(), 0);
  EXPECT_GT(plot("single", once, single).width(), 0);
  EXPECT_GT(plot("waves", times, waves).width(), 0);
  EXPECT_GT(plot("none", {}, {}).width(), 0);
}

TEST(Text, EveryLetterLeavesInkAndWidthsAdd) {
  for (const char c : std::string("0123456789abcdefghijklmnopqrstuvwxyzABCXYZ.,:-+=/()")) {
    Image blank(40, 40, {1, 1, 1}), image = blank;
    draw_text(image, {10, 28}, std::string(1, c), 20, {0, 0, 0});
    EXPECT_GT(pixels_unlike(image, blank), 3u) << c;
  }
  EXPECT_DOUBLE_EQ(text_width("ab", 12), text_width("a", 12) + text_width("b", 12));
  Image image(10, 10, {1, 1, 1});
  draw_text(image, {-50, 5}, "outside is cut off", 12, {0, 0, 0});
}

}  // namespace
}  // namespace stiffly
