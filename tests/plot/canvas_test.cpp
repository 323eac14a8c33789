// Pixels, letters, and the three kinds of files.
#include "stiffly/plot/canvas.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "ink.hpp"
#include "stiffly/files/xml.hpp"

namespace stiffly::test {
namespace {

constexpr Color white = {1, 1, 1}, black = {0, 0, 0}, red = {1, 0, 0};

Image written(const std::string& text) {
  Canvas canvas(60, 40, white);
  canvas.text({12, 30}, text, {24}, black);
  return rasterize(canvas);
}

std::vector<float> pixels(const Image& image) {
  std::vector<float> out;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) out.push_back(image.at(x, y)[0]);
  return out;
}

TEST(Canvas, EverySignHasAnInkOfItsOwn) {
  std::set<std::vector<float>> seen = {pixels(written("")), pixels(written("\uE123"))};  // no such letter
  std::vector<std::string> signs;
  for (char c = '!'; c <= '~'; ++c) signs.emplace_back(1, c);
  for (const char* sign : {"α", "λ", "μ", "φ", "Ω", "⁻", "⁰", "¹", "²", "³", "⁴",
                           "⁹", "×", "·", "−", "–", "°", "√", "≤", "ä", "é", "…"})
    signs.emplace_back(sign);
  for (const std::string& sign : signs) EXPECT_TRUE(seen.insert(pixels(written(sign))).second) << sign;
}

TEST(Canvas, LabelsSayWhereTheInkIs) {
  for (const Align align : {Align::left, Align::centre, Align::right}) {
    Canvas canvas(300, 80, white);
    canvas.text({150, 40}, "gj|10⁻³ μ@W", {17}, black, align);
    ASSERT_EQ(canvas.labels().size(), 1u);
    const Rectangle box = canvas.labels()[0].box;
    const Image image = rasterize(canvas);
    double left = 1e9, right = 0, top = 1e9, bottom = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (image.at(x, y)[0] < 0.95f) {
          left = std::min<double>(left, x), right = std::max<double>(right, x + 1);
          top = std::min<double>(top, y), bottom = std::max<double>(bottom, y + 1);
        }
    EXPECT_NEAR(left, box.x, 1.5);
    EXPECT_NEAR(right, box.right(), 1.5);
    EXPECT_NEAR(top, box.y, 1.5);
    EXPECT_NEAR(bottom, box.bottom(), 1.5);
    const double place = align == Align::left ? box.x : align == Align::centre ? box.centre().x : box.right();
    EXPECT_NEAR(place, 150, 3);
  }
}

TEST(Canvas, WidthsOfTextAddAndGrowWithItsSize) {
  EXPECT_NEAR(text_width("ab", {12}), text_width("a", {12}) + text_width("b", {12}), 0.2);
  EXPECT_NEAR(text_width("width", {26}), 2 * text_width("width", {13}), 0.1);
  EXPECT_GT(text_width("width", {13, true}), text_width("width", {13}));
}

TEST(Canvas, WhatIsNoTextIsReplacedAndWhatIsOutsideCutOff) {
  Canvas canvas(100, 50, white);
  canvas.text({5, 20}, "a\xFFz\xC3", {12}, black);
  canvas.text({5, 40}, "tab\tbell\x07", {12}, black);
  canvas.text({-500, 5}, "outside", {12}, black);
  EXPECT_EQ(canvas.labels()[0].text, "a\uFFFDz\uFFFD");
  EXPECT_EQ(canvas.labels()[1].text, "tab\uFFFDbell\uFFFD");
  EXPECT_EQ(parse_xml(encode_svg(canvas), "svg", "").name, "svg");
  for (const char* bad :
       {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xEF\xBF\xBF", "\xE2\x82"})
    canvas.text({5, 20}, bad, {12}, black);
  EXPECT_NO_THROW(encode_pdf(canvas));
}

TEST(Canvas, LinesAndAreasAreWhereTheyWereDrawn) {
  Canvas canvas(100, 60, white);
  canvas.fill({10, 20, 30, 15}, red);
  canvas.line({60, 5}, {60, 55}, {black, 4});
  const Image image = rasterize(canvas), fine = rasterize(canvas, 3);
  EXPECT_EQ(count(image, red), 30 * 15);
  EXPECT_EQ(count(image, red, {10, 20, 30, 15}), 30 * 15);
  EXPECT_EQ(count(image, black, {58, 5, 4, 50}), 4 * 50);
  EXPECT_EQ(fine.width(), 300);
  EXPECT_EQ(count(fine, red), 9 * 30 * 15);
}

TEST(Canvas, GivesEveryPixelOfAnImageBack) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-0.1f, 1.1f);
  for (const auto& [width, height, density] :
       {std::tuple{1, 1, 1.0}, {7, 5, 1.0}, {64, 33, 1.0}, {66, 36, 1.5}}) {
    Image image(width, height, black);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) image.at(x, y) = {uniform(random), uniform(random), uniform(random)};
    Canvas canvas(width / density + 4, height / density + 6, white);
    canvas.image(image, {4, 6, width / density, height / density});
    const Image back = rasterize(canvas, density);
    const auto [left, top] = std::pair(static_cast<int>(4 * density), static_cast<int>(6 * density));
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (std::size_t c = 0; c < 3; ++c)
          ASSERT_NEAR(back.at(x + left, y + top)[c], std::clamp(image.at(x, y)[c], 0.f, 1.f), 0.51f / 255);
  }
}

TEST(Canvas, TheBackgroundReachesTheEdges) {
  const Image image = rasterize(Canvas(20.3, 10.7, red), 1.5);
  EXPECT_EQ(image.width(), 31);
  EXPECT_EQ(image.height(), 17);
  EXPECT_EQ(count(image, red), 31 * 17);
}

std::uint32_t number(const std::string& s, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<std::uint8_t>(s.at(at + i));
  return out;
}

TEST(Files, PngHasItsSizeAndAllItsChunks) {
  Canvas canvas(101, 50, white);
  canvas.text({5, 20}, "text", {12}, black);
  for (const double density : {1.0, 1.5, 2.0}) {
    const std::string file = encode_png(canvas, density);
    EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1A\n");
    EXPECT_EQ(number(file, 16), static_cast<std::uint32_t>(std::ceil(101 * density)));
    EXPECT_EQ(number(file, 20), static_cast<std::uint32_t>(50 * density));
    std::string last;
    for (std::size_t at = 8; at < file.size(); at += 12 + number(file, at)) last = file.substr(at + 4, 4);
    EXPECT_EQ(last, "IEND");
  }
}

TEST(Files, SvgIsADocumentThatHoldsTheText) {
  Canvas canvas(101, 50, white);
  canvas.text({5, 20}, "a < b & \"c\"", {12}, black);
  const std::string file = encode_svg(canvas);
  const XmlElement root = parse_xml(file, "svg", "");
  EXPECT_EQ(root.name, "svg");
  EXPECT_EQ(root.attribute("viewBox"), "0 0 101 50");
  EXPECT_EQ(root.attribute("width"), "101px");
  ASSERT_TRUE(root.find("desc"));
  EXPECT_EQ(root.find("desc")->text, "a &lt; b &amp; &quot;c&quot;\n");
}

TEST(Files, PdfIsWhole) {
  Canvas canvas(101, 50, white);
  canvas.text({5, 20}, "text", {12}, black);
  const std::string file = encode_pdf(canvas);
  EXPECT_TRUE(file.starts_with("%PDF-"));
  EXPECT_TRUE(file.ends_with("%%EOF\n"));
}

}  // namespace
}  // namespace stiffly::test
