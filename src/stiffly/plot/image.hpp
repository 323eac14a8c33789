// Pictures in memory: pixels, strokes and text on them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stiffly {

/// Red, green, blue, each 0 … 1, as the screen shows them.
using Color = std::array<float, 3>;

Color mix(const Color& a, const Color& b, float t);

/// Position in a picture: x to the right, y down, in pixels; (0, 0) is the outer corner of the first pixel.
struct Pixel {
  double x = 0, y = 0;
};

class Image {
 public:
  Image(int width, int height, const Color& background);

  int width() const { return width_; }
  int height() const { return height_; }
  const Color& at(int x, int y) const { return pixels_[index(x, y)]; }
  Color& at(int x, int y) { return pixels_[index(x, y)]; }
  /// Copies `other` with its corner at (x, y); what lies outside is cut off.
  void paste(const Image& other, int x, int y);
  void fill_rectangle(int x, int y, int width, int height, const Color& color);
  /// A line with round ends, anti-aliased.
  void stroke(Pixel from, Pixel to, double width, const Color& color);
  /// Eight bits per channel, row by row.
  std::vector<std::uint8_t> bytes() const;

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }

  int width_, height_;
  std::vector<Color> pixels_;
};

enum class Align { left, centre, right };

/// Writes with letters as high as `size` pixels, its base line at `at`. Knows digits, letters (in one case)
/// and the signs of numbers and units; leaves room for others.
void draw_text(Image& image, Pixel at, std::string_view text, double size, const Color& color,
               Align align = Align::left);
double text_width(std::string_view text, double size);

}  // namespace stiffly
