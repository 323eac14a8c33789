// Pixels in memory.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace stiffly {

/// Red, green, blue, each 0 … 1, as the screen shows them.
using Color = std::array<float, 3>;

inline Color mix(const Color& a, const Color& b, float t) {
  return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
}

class Image {
 public:
  Image(int width, int height, const Color& background)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background) {}

  int width() const { return width_; }
  int height() const { return height_; }
  const Color& at(int x, int y) const { return pixels_[index(x, y)]; }
  Color& at(int x, int y) { return pixels_[index(x, y)]; }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }

  int width_, height_;
  std::vector<Color> pixels_;
};

}  // namespace stiffly
