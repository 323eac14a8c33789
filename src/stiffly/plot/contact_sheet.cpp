#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/plot/picture.hpp"
#include "stiffly/plot/render.hpp"

namespace stiffly {
namespace {

constexpr Color paper = {0.972f, 0.976f, 0.982f}, ink = {0.20f, 0.23f, 0.28f},
                pale_ink = {0.45f, 0.49f, 0.55f};
constexpr int border = 24, header = 56, caption = 34, footer = 48, gap = 10;

/// From slow to fast; lightness grows evenly, so that it also reads in grey.
Color speed_color(double t) {
  constexpr std::array<Color, 5> stops = {{{0.16f, 0.30f, 0.53f},
                                           {0.17f, 0.52f, 0.62f},
                                           {0.40f, 0.70f, 0.53f},
                                           {0.90f, 0.76f, 0.36f},
                                           {0.93f, 0.47f, 0.28f}}};
  const double place = std::clamp(t, 0.0, 1.0) * (stops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  return mix(stops[i], stops[i + 1], static_cast<float>(place - static_cast<double>(i)));
}

double speed(const std::array<double, 3>& v) { return std::hypot(v[0], v[1], v[2]); }

/// The end of the colour scale: what all but the fastest hundredth stay below.
double fastest(std::span<const Moment> moments) {
  std::vector<double> speeds;
  for (const Moment& m : moments)
    for (const auto& v : m.velocities) speeds.push_back(speed(v));
  const auto place =
      speeds.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(speeds.size() - 1));
  std::nth_element(speeds.begin(), place, speeds.end());
  return *place > 0 ? *place : 1;
}

Camera camera_for(std::span<const Moment> moments) {
  std::vector<std::array<double, 3>> all;
  for (const Moment& m : moments) all.insert(all.end(), m.positions.begin(), m.positions.end());
  return Camera(all);
}

/// Tall things stand side by side, others in rows.
struct Layout {
  int columns, rows, width, height;

  Layout(double aspect, int count) {
    columns = std::min(count, aspect > 1.3 ? 6 : aspect > 0.35 ? 3 : 2);
    rows = (count + columns - 1) / columns;
    width = (columns > 3 ? 1500 : 1320) / std::max(columns, 3);
    height = static_cast<int>(std::clamp(aspect * width, 0.5 * width, 2.4 * width));
  }
  int sheet_width() const { return 2 * border + columns * width + (columns - 1) * gap; }
  int sheet_height() const { return header + rows * (height + caption) + footer; }
};

void draw_scale(Image& sheet, int right, int y, double end) {
  constexpr int length = 180, thickness = 10;
  const std::string most = fmt::format("{:.2g} m/s", end);
  const int x = right - length - static_cast<int>(text_width(most, 11)) - 10;
  for (int i = 0; i < length; ++i)
    sheet.fill_rectangle(x + i, y, 1, thickness, speed_color(static_cast<double>(i) / (length - 1)));
  draw_text(sheet, {x - 8.0, y + thickness - 0.0}, "speed  0", 11, pale_ink, Align::right);
  draw_text(sheet, {x + length + 8.0, y + thickness - 0.0}, most, 11, pale_ink);
}

}  // namespace

Image contact_sheet(const std::string& title, const Shape& shape, std::span<const Moment> moments) {
  const Camera camera = camera_for(moments);
  const Layout layout(camera.aspect(), static_cast<int>(moments.size()));
  Image sheet(layout.sheet_width(), layout.sheet_height(), paper);
  draw_text(sheet, {border + 4.0, 38}, title, 17, ink);
  const double end = fastest(moments);
  for (std::size_t k = 0; k < moments.size(); ++k) {
    const Moment& m = moments[k];
    Drawing drawing{m.positions, shape.triangles, shape.springs, {}};
    for (const auto& v : m.velocities) drawing.colors.push_back(speed_color(speed(v) / end));
    const int column = static_cast<int>(k) % layout.columns, row = static_cast<int>(k) / layout.columns;
    const int x = border + column * (layout.width + gap), y = header + row * (layout.height + caption);
    sheet.paste(render(drawing, camera, layout.width, layout.height), x, y);
    draw_text(sheet, {x + 0.5 * layout.width, y + layout.height + 20.0}, fmt::format("t = {:.4g} s", m.time),
              12, ink, Align::centre);
  }
  draw_scale(sheet, sheet.width() - border - 4, sheet.height() - 32, end);
  return sheet;
}

}  // namespace stiffly
