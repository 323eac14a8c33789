#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/plot/palette.hpp"
#include "stiffly/plot/picture.hpp"
#include "stiffly/plot/render.hpp"

namespace stiffly {
namespace {

constexpr Color sheet_background = {0.972f, 0.976f, 0.982f};
constexpr int border = 20, header = 52, caption = 32, footer = 44, gap = 8;
constexpr int sheet_width = 960;
constexpr double density = 1.5;  // of rendered pixels, as PNG files have it

/// From slow to fast; lightness grows evenly, so that it also reads in grey.
using Scale = std::array<Color, 5>;
constexpr Scale body_scale = {{{0.16f, 0.30f, 0.53f},
                               {0.17f, 0.52f, 0.62f},
                               {0.40f, 0.70f, 0.53f},
                               {0.90f, 0.76f, 0.36f},
                               {0.93f, 0.47f, 0.28f}}};
/// Of strands, which are hair more often than not: brown to blond.
constexpr Scale strand_scale = {{{0.27f, 0.15f, 0.09f},
                                 {0.45f, 0.25f, 0.13f},
                                 {0.65f, 0.40f, 0.20f},
                                 {0.84f, 0.60f, 0.32f},
                                 {0.97f, 0.82f, 0.52f}}};
constexpr Color skin = {0.87f, 0.70f, 0.60f};   ///< of what strands grow on
constexpr Color stone = {0.74f, 0.76f, 0.79f};  ///< of obstacles

/// Of obstacles, from what was never touched on: ever darker, and ever redder. Most places are passed over,
/// and few are rested on: by the root of the share, so that both are told.
constexpr Scale touched_scale = {
    {stone, {0.82f, 0.66f, 0.70f}, {0.82f, 0.48f, 0.58f}, {0.75f, 0.27f, 0.45f}, {0.58f, 0.06f, 0.32f}}};

Color color_of(const Scale& stops, double t) {
  const double place = std::clamp(t, 0.0, 1.0) * (stops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  return mix(stops[i], stops[i + 1], static_cast<float>(place - static_cast<double>(i)));
}

Color color_of_touched(double share) { return color_of(touched_scale, std::sqrt(share)); }

double speed(const std::array<double, 3>& v) { return std::hypot(v[0], v[1], v[2]); }

/// What that share of the values, of which there is at least one, stays below.
double quantile(std::vector<double> values, double share) {
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

/// The end of the colour scale: what all but the fastest hundredth stay below.
double fastest(std::span<const Moment> moments) {
  std::vector<double> speeds;
  for (const Moment& m : moments)
    for (const auto& v : m.velocities) speeds.push_back(speed(v));
  const double out = quantile(std::move(speeds), 0.99);
  return out > 0 ? out : 1;
}

/// The same of times of contact, over what was touched in the end: few places are, and of those some for very
/// long. 0 where nothing was.
double longest_touched(std::span<const Moment> moments) {
  std::vector<double> times;
  std::ranges::copy_if(moments.back().contact_time, std::back_inserter(times),
                       [](double t) { return t > 0; });
  return times.empty() ? 0 : quantile(std::move(times), 0.95);
}

/// Sees all of the body, and of what is around it what is as near as the body is large.
Camera camera_for(const Shape& shape, std::span<const Moment> moments) {
  std::vector<std::array<double, 3>> all;
  for (const Moment& m : moments) all.insert(all.end(), m.positions.begin(), m.positions.end());
  std::array<double, 3> low = all.front(), high = low;
  for (const auto& p : all)
    for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], p[d]), high[d] = std::max(high[d], p[d]);
  const double size = std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  for (const Moment& m : moments)
    for (auto p : std::span(m.obstacles).first(shape.seen_corners)) {
      for (std::size_t d = 0; d < 3; ++d) p[d] = std::clamp(p[d], low[d] - size, high[d] + size);
      all.push_back(p);
    }
  return Camera(all);
}

/// Tall things stand side by side, others in rows.
struct Layout {
  int columns, rows, width, height;

  Layout(double aspect, int count) {
    const int across = aspect > 1.3 ? 6 : aspect > 0.35 ? 3 : 2;
    columns = std::min(count, across);
    rows = (count + columns - 1) / columns;
    // Even numbers: whole pixels at the density of the files.
    const auto even = [](double v) { return 2 * static_cast<int>(v / 2); };
    width = even((sheet_width - 2.0 * border - (across - 1) * gap) / across);
    height = even(std::clamp(aspect, 0.5, 2.4) * width);
  }
  double total_width() const { return std::max(2 * border + columns * (width + gap) - gap, 400); }
  double total_height() const { return header + rows * (height + caption) + footer; }
  Rectangle panel(int k) const {
    return {static_cast<double>(border + k % columns * (width + gap)),
            static_cast<double>(header + k / columns * (height + caption)), static_cast<double>(width),
            static_cast<double>(height)};
  }
};

/// From 0 to `most`, ending at `right`. Where it begins.
template <class ColorOf>
double draw_scale(Canvas& sheet, const ColorOf& color, const std::string& name, const std::string& most,
                  double right) {
  constexpr int length = 160;
  const double y = sheet.height() - 30, x = right - length - text_width(most, label_font) - 8;
  Image scale(length, 1, sheet_background);
  for (int i = 0; i < length; ++i) scale.at(i, 0) = color(static_cast<double>(i) / (length - 1));
  sheet.image(scale, {x, y, length, 10});
  const std::string least = name + "  0";
  sheet.text({x - 8, y + 9.5}, least, label_font, palette::pale_ink, Align::right);
  sheet.text({x + length + 8, y + 9.5}, most, label_font, palette::pale_ink);
  return x - 8 - text_width(least, label_font);
}

}  // namespace

Canvas contact_sheet(const std::string& title, const Shape& shape, std::span<const Moment> moments) {
  const Camera camera = camera_for(shape, moments);
  const Layout layout(camera.aspect(), static_cast<int>(moments.size()));
  const double longest = longest_touched(moments);
  constexpr double two_scales = 720;
  const double least_width =
      std::max(longest > 0 ? two_scales : 0.0, text_width(title, title_font) + 2 * border);
  Canvas sheet(std::max(layout.total_width(), least_width), layout.total_height(), sheet_background);
  sheet.text({border, 34}, title, title_font, palette::ink);
  const double end = fastest(moments);
  const auto closed = static_cast<std::size_t>(std::ranges::count_if(
      shape.obstacles, [&](const auto& t) { return static_cast<std::size_t>(t[0]) < shape.seen_corners; }));
  const auto speed_color = [&](double share) {
    return color_of(shape.strands.empty() ? body_scale : strand_scale, share);
  };
  for (std::size_t k = 0; k < moments.size(); ++k) {
    const Moment& m = moments[k];
    Drawing drawing{.positions = m.positions,
                    .triangles = shape.triangles,
                    .lines = shape.springs,
                    .strands = shape.strands};
    for (const auto& v : m.velocities) drawing.colors.push_back(speed_color(speed(v) / end));
    if (!shape.strands.empty())
      for (const auto& triangle : shape.triangles)
        for (const int corner : triangle) drawing.colors[static_cast<std::size_t>(corner)] = skin;
    const Rectangle panel = layout.panel(static_cast<int>(k));
    Drawing around{.positions = m.obstacles,
                   .triangles = shape.obstacles,
                   .colors = std::vector(m.obstacles.size(), stone),
                   .closed = closed};
    for (std::size_t i = 0; longest > 0 && i < m.contact_time.size(); ++i)
      around.colors[i] = color_of_touched(m.contact_time[i] / longest);
    sheet.image(render(drawing, camera, static_cast<int>(density * panel.width),
                       static_cast<int>(density * panel.height), around),
                panel);
    sheet.text({panel.centre().x, panel.bottom() + 19}, fmt::format("t = {:.4g} s", m.time), label_font,
               palette::ink, Align::centre);
  }
  const double left =
      draw_scale(sheet, speed_color, "speed", fmt::format("{:.2g} m/s", end), sheet.width() - border);
  if (longest > 0)
    draw_scale(sheet, color_of_touched, "touched for", fmt::format("{:.2g} s", longest), left - 2 * border);
  return sheet;
}

}  // namespace stiffly
