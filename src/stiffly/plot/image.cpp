#include "stiffly/plot/image.hpp"

#include <algorithm>
#include <cmath>

namespace stiffly {

Color mix(const Color& a, const Color& b, float t) {
  return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
}

Image::Image(int width, int height, const Color& background)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background) {}

void Image::paste(const Image& other, int x, int y) {
  for (int j = std::max(0, -y); j < other.height() && y + j < height_; ++j)
    for (int i = std::max(0, -x); i < other.width() && x + i < width_; ++i) at(x + i, y + j) = other.at(i, j);
}

void Image::fill_rectangle(int x, int y, int width, int height, const Color& color) {
  for (int j = std::max(0, y); j < std::min(height_, y + height); ++j)
    for (int i = std::max(0, x); i < std::min(width_, x + width); ++i) at(i, j) = color;
}

void Image::stroke(Pixel from, Pixel to, double width, const Color& color) {
  const double reach = 0.5 * width + 1;
  const auto clamped = [](double v, int top) {
    return static_cast<int>(std::clamp(v, 0.0, static_cast<double>(top)));
  };
  const int x0 = clamped(std::min(from.x, to.x) - reach, width_),
            x1 = clamped(std::max(from.x, to.x) + reach + 1, width_);
  const int y0 = clamped(std::min(from.y, to.y) - reach, height_),
            y1 = clamped(std::max(from.y, to.y) + reach + 1, height_);
  const double dx = to.x - from.x, dy = to.y - from.y, length2 = dx * dx + dy * dy;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      const double px = x + 0.5 - from.x, py = y + 0.5 - from.y;
      const double t = length2 > 0 ? std::clamp((px * dx + py * dy) / length2, 0.0, 1.0) : 0.0;
      const double distance = std::hypot(px - t * dx, py - t * dy);
      const double cover = std::clamp(0.5 * width + 0.5 - distance, 0.0, 1.0);  // of the pixel by the line
      if (cover > 0) at(x, y) = mix(at(x, y), color, static_cast<float>(cover));
    }
}

std::vector<std::uint8_t> Image::bytes() const {
  std::vector<std::uint8_t> out;
  out.reserve(3 * pixels_.size());
  for (const Color& pixel : pixels_)
    for (const float channel : pixel)
      out.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(channel, 0.0f, 1.0f))));
  return out;
}

}  // namespace stiffly
