#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/io/picture.hpp"

namespace stiffly {
namespace {

constexpr Color paper = {1, 1, 1}, ink = {0.20f, 0.23f, 0.28f}, grid = {0.90f, 0.91f, 0.93f};
constexpr std::array<Color, 6> line_colors = {{{0.16f, 0.38f, 0.64f},
                                               {0.90f, 0.49f, 0.22f},
                                               {0.22f, 0.60f, 0.45f},
                                               {0.72f, 0.27f, 0.42f},
                                               {0.48f, 0.41f, 0.68f},
                                               {0.55f, 0.52f, 0.36f}}};
constexpr int width = 1200, height = 640, left = 96, right = 150, top = 64, bottom = 64;

/// A span of values with round marks about a fifth of it apart.
struct Axis {
  double low, high, mark;

  explicit Axis(std::span<const double> values) {
    low = high = values.empty() ? 0 : values.front();
    for (const double v : values) add(v);
  }
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  void round() {
    if (!(high - low > 1e-12 * std::max(std::abs(high), 1e-300))) {
      low -= 1;
      high += 1;
    }
    const double rough = (high - low) / 5, power = std::pow(10, std::floor(std::log10(rough)));
    mark = power * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
  }
  double place(double v) const { return (v - low) / (high - low); }
};

}  // namespace

Image plot(const std::string& title, std::span<const double> times, std::span<const Curve> curves) {
  Image image(width, height, paper);
  Axis t(times), y({});
  if (!curves.empty() && !curves.front().values.empty()) y.low = y.high = curves.front().values.front();
  for (const Curve& curve : curves)
    for (const double v : curve.values) y.add(v);
  t.round();
  y.round();
  const auto x_at = [&](double time) { return left + t.place(time) * (width - left - right); };
  const auto y_at = [&](double value) { return height - bottom - y.place(value) * (height - top - bottom); };

  for (double m = std::ceil(t.low / t.mark); m <= t.high / t.mark + 1e-9; ++m) {
    image.stroke({x_at(m * t.mark), static_cast<double>(top)},
                 {x_at(m * t.mark), static_cast<double>(height - bottom)}, 1, grid);
    draw_text(image, {x_at(m * t.mark), height - bottom + 24.0}, fmt::format("{:.4g}", m * t.mark), 11, ink,
              Align::centre);
  }
  for (double m = std::ceil(y.low / y.mark); m <= y.high / y.mark + 1e-9; ++m) {
    image.stroke({static_cast<double>(left), y_at(m * y.mark)},
                 {static_cast<double>(width - right), y_at(m * y.mark)}, 1, grid);
    draw_text(image, {left - 12.0, y_at(m * y.mark) + 5}, fmt::format("{:.4g}", m * y.mark), 11, ink,
              Align::right);
  }
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Color color = line_colors[c % line_colors.size()];
    const auto& values = curves[c].values;
    for (std::size_t i = 1; i < values.size(); ++i)
      image.stroke({x_at(times[i - 1]), y_at(values[i - 1])}, {x_at(times[i]), y_at(values[i])}, 1.6, color);
    const double row = top + 22.0 * static_cast<double>(c);
    if (row > height - bottom) continue;
    image.stroke({width - right + 16.0, row}, {width - right + 40.0, row}, 2.4, color);
    draw_text(image, {width - right + 50.0, row + 5}, curves[c].name, 11, ink);
  }
  draw_text(image, {static_cast<double>(left), 38}, title, 16, ink);
  draw_text(image, {0.5 * (left + width - right), height - 14.0}, "t (s)", 12, ink, Align::centre);
  return image;
}

}  // namespace stiffly
