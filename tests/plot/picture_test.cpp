// Pictures: what must be seen is there, and nothing odd in the input breaks them.
#include "stiffly/plot/picture.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ink.hpp"
#include "stiffly/plot/render.hpp"

namespace stiffly {
namespace {

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

// A wall before the square, of which only the side away from the viewer is a front, and then the other one.
TEST(Render, OfClosedSurfacesOnlyTheFrontIsSeen) {
  std::vector<std::array<double, 3>> wall = square;
  for (auto& corner : wall) corner[1] -= 0.1;
  const std::vector<std::array<int, 3>> away = {{0, 2, 1}, {0, 3, 2}};
  const std::vector<Color> red(4, Color{1, 0, 0}), blue(4, Color{0, 0, 1});
  const auto middle = [&](const std::vector<std::array<int, 3>>& triangles, std::size_t closed) {
    const Drawing around{.positions = wall, .triangles = triangles, .colors = blue, .closed = closed};
    return render({square, two_triangles, {}, red}, Camera(square), 100, 100, around).at(50, 50);
  };
  EXPECT_GT(middle(away, 2)[0], 2 * middle(away, 2)[2]) << "the square is seen through it";
  EXPECT_GT(middle(away, 0)[2], 2 * middle(away, 0)[0]);
  EXPECT_GT(middle(two_triangles, 2)[2], 2 * middle(two_triangles, 2)[0]);
}

TEST(Render, LinesAndBallsWhereThereAreNoTriangles) {
  const Camera camera(square);
  const std::vector<Color> blue(4, Color{0, 0, 1});
  const Image empty = render({square, {}, {}, blue}, camera, 100, 100),
              lines = render({square, {}, one_line, blue}, camera, 100, 100);
  EXPECT_GT(test::unlike(lines, empty), 50);
}

TEST(ContactSheet, GrowsWithItsMomentsAndTakesDegenerateScenes) {
  Moment m{0, square, {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
  const std::vector<Moment> one = {m}, six(6, m);
  EXPECT_GT(contact_sheet("a", {two_triangles, {}}, six).width(),
            contact_sheet("a", {two_triangles, {}}, one).width());
  const std::vector<Moment> point = {{0, {{1, 2, 3}}, {{0, 0, 0}}}};
  const std::vector<Moment> column = {{0, {{0, 0, 0}, {0, 0, 9}}, {{0, 0, 0}, {0, 0, 0}}}};
  for (const auto& moments : {six, point, column}) test::expect_readable(contact_sheet("a", {}, moments));
  test::expect_readable(
      contact_sheet("a title of more words than a sheet of one moment has room for", {}, point));
}

TEST(ContactSheet, HoldsEveryMomentInFullResolution) {
  const std::vector<Moment> moments = {{0.07, square, std::vector<std::array<double, 3>>(4)},
                                       {1.3, square, std::vector<std::array<double, 3>>(4)}};
  const Canvas sheet = contact_sheet("two", {two_triangles, {}}, moments);
  EXPECT_TRUE(test::find_label(sheet, "t = 0.07 s"));
  EXPECT_TRUE(test::find_label(sheet, "t = 1.3 s"));
  const Image image = rasterize(sheet, 1.5);
  int left = 0, right = 0;  // dark blue: everything stands still
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      (x < image.width() / 2 ? left : right) +=
          image.at(x, y)[2] > 1.4f * image.at(x, y)[0] && y < image.height() - 60;
  EXPECT_GT(left, 20000);
  EXPECT_EQ(left, right);  // the same picture twice, pixel by pixel
}

TEST(Plot, TakesConstantsAndSinglePoints) {
  const std::vector<double> times = {0, 1, 2}, once = {0};
  const std::vector<Curve> flat = {{"x0", {5, 5, 5}}}, single = {{"x0", {1}}},
                           waves = {{"a", {0, 1, 0}}, {"b", {0, -1e9, 1e9}}};
  test::expect_readable(plot("flat", times, flat));
  test::expect_readable(plot("single", once, single));
  test::expect_readable(plot("waves", times, waves));
  test::expect_readable(plot("none", {}, {}));
}

}  // namespace
}  // namespace stiffly
