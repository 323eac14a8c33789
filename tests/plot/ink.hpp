// Pictures under test: where their ink is, and whether what is written can be read.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stiffly/plot/canvas.hpp"

namespace stiffly::test {

/// Up to the rounding to eight bits.
inline bool same(const Color& a, const Color& b) {
  return std::ranges::equal(a, b, [](float x, float y) { return std::abs(x - y) < 0.01f; });
}

inline int count(const Image& image, const Color& color, const Rectangle& area) {
  int out = 0;
  for (int y = std::max(0, static_cast<int>(area.y)); y < std::min<double>(image.height(), area.bottom());
       ++y)
    for (int x = std::max(0, static_cast<int>(area.x)); x < std::min<double>(image.width(), area.right());
         ++x)
      out += same(image.at(x, y), color);
  return out;
}
inline int count(const Image& image, const Color& color) {
  return count(image, color, {0, 0, static_cast<double>(image.width()), static_cast<double>(image.height())});
}

/// Pixels that differ between images of one size.
inline int unlike(const Image& a, const Image& b) {
  int out = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) out += a.at(x, y) != b.at(x, y);
  return out;
}

inline bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

/// All text lies in the picture, and none on other text.
inline void expect_readable(const Canvas& canvas) {
  const std::vector<Label>& all = canvas.labels();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Rectangle& box = all[i].box;
    EXPECT_TRUE(box.x >= 0 && box.y >= 0 && box.right() <= canvas.width() && box.bottom() <= canvas.height())
        << all[i].text << " is cut off";
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(overlap(box, all[k].box)) << all[i].text << " lies on " << all[k].text;
  }
}

inline const Label* find_label(const Canvas& canvas, const std::string& text) {
  const auto at = std::ranges::find(canvas.labels(), text, &Label::text);
  return at == canvas.labels().end() ? nullptr : &*at;
}

}  // namespace stiffly::test
