#include "stiffly/study/stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "stiffly/study/amplification.hpp"

namespace stiffly {

StabilityRegion stability_region(const IntegratorInfo& method) {
  StabilityRegion r;
  r.integrator = method.name;
  r.radius.assign(static_cast<std::size_t>(r.columns * r.rows), std::numeric_limits<double>::quiet_NaN());
  for (int row = 0; row < r.rows / 2; ++row)  // the lower half is its mirror image
    for (int column = 0; column < r.columns; ++column) {
      const std::complex<double> z(r.left + (r.right - r.left) * (column + 0.5) / r.columns,
                                   r.top * (1 - (row + 0.5) / (r.rows / 2)));
      double radius = std::numeric_limits<double>::quiet_NaN();
      try {
        radius = amplification(method, z).spectral_radius();
      } catch (const SimulationError&) {  // no step there: stays NaN
      }
      r.radius[static_cast<std::size_t>(row * r.columns + column)] = radius;
      r.radius[static_cast<std::size_t>((r.rows - 1 - row) * r.columns + column)] = radius;
    }
  return r;
}

Image draw(std::span<const StabilityRegion> regions) {
  constexpr Color paper = {1, 1, 1}, ink = {0.20f, 0.23f, 0.28f}, unknown = {0.93f, 0.93f, 0.93f};
  constexpr Color damped = {0.13f, 0.33f, 0.56f}, kept = {0.72f, 0.83f, 0.92f}, axis = {0.55f, 0.57f, 0.62f};
  constexpr int scale = 2, margin = 14, caption = 30, across = 6;
  if (regions.empty()) return Image(1, 1, paper);
  const int tile_width = regions[0].columns * scale + margin,
            tile_height = regions[0].rows * scale + caption + margin;
  const int count = static_cast<int>(regions.size()), rows = (count + across - 1) / across;
  Image image(margin + std::min(count, across) * tile_width, margin + rows * tile_height, paper);
  for (int k = 0; k < count; ++k) {
    const StabilityRegion& r = regions[static_cast<std::size_t>(k)];
    const int x0 = margin + k % across * tile_width, y0 = margin + k / across * tile_height + caption;
    draw_text(image, {static_cast<double>(x0), y0 - 8.0}, r.integrator, 11, ink);
    for (int row = 0; row < r.rows; ++row)
      for (int column = 0; column < r.columns; ++column) {
        const double radius = r.at(column, row);
        const Color color = !std::isfinite(radius) ? unknown
                            : radius > 1 + 1e-9
                                ? paper
                                : mix(damped, kept, static_cast<float>(std::clamp(radius, 0.0, 1.0)));
        image.fill_rectangle(x0 + column * scale, y0 + row * scale, scale, scale, color);
      }
    const double zero_x = x0 + scale * r.columns * (0 - r.left) / (r.right - r.left),
                 zero_y = y0 + scale * r.rows / 2.0;
    image.stroke({zero_x, static_cast<double>(y0)}, {zero_x, static_cast<double>(y0 + scale * r.rows)}, 1,
                 axis);
    image.stroke({static_cast<double>(x0), zero_y}, {static_cast<double>(x0 + scale * r.columns), zero_y}, 1,
                 axis);
  }
  return image;
}

}  // namespace stiffly
