#include "stiffly/study/stability.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "stiffly/plot/axis.hpp"
#include "stiffly/plot/palette.hpp"
#include "stiffly/study/amplification.hpp"

namespace stiffly::study {

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

namespace {

constexpr Color damped = {0.13f, 0.33f, 0.56f}, kept = {0.74f, 0.85f, 0.94f}, unknown = {0.86f, 0.86f, 0.86f};

Color color_of(double radius) {
  return !std::isfinite(radius) ? unknown
         : radius > 1 + 1e-9    ? palette::paper
                                : mix(damped, kept, static_cast<float>(std::clamp(radius, 0.0, 1.0)));
}

void draw_region(Canvas& canvas, const StabilityRegion& r, const Rectangle& area, bool with_heights) {
  const Font name{12}, label{11};
  const Pen axis{palette::pale_ink, 1, {}};
  Image pixels(r.columns, r.rows, palette::paper);
  for (int row = 0; row < r.rows; ++row)
    for (int column = 0; column < r.columns; ++column) pixels.at(column, row) = color_of(r.at(column, row));
  canvas.image(pixels, area);
  const auto x_at = [&](double re) { return area.x + area.width * (re - r.left) / (r.right - r.left); };
  canvas.line({x_at(0), area.y}, {x_at(0), area.bottom()}, axis);
  canvas.line({area.x, area.centre().y}, {area.right(), area.centre().y}, axis);
  canvas.line(
      std::array<Pixel, 3>{{{area.x, area.y}, {area.x, area.bottom()}, {area.right(), area.bottom()}}}, axis);
  canvas.text({area.x, area.y - 6}, r.integrator, name, palette::ink);
  for (const double re : {r.left, 0.0})
    canvas.text({x_at(re), area.bottom() + 14}, number_text(re), label, palette::pale_ink,
                re < 0 ? Align::left : Align::centre);
  if (!with_heights) return;
  for (const double im : {-r.top, 0.0, r.top})
    canvas.text({area.x - 5, area.centre().y - im / r.top * (area.height / 2 - 5) + 4}, number_text(im),
                label, palette::pale_ink, Align::right);
}

}  // namespace

Canvas draw(std::span<const StabilityRegion> regions) {
  constexpr double left = 42, top = 92, side = 138, across = 152, down = 186;
  constexpr std::size_t columns = 6;
  const Font title{16, true}, label{12};
  const std::size_t rows = (regions.size() + columns - 1) / columns;
  const auto place = [](std::size_t k) {
    return Rectangle{left + across * static_cast<double>(k % columns),
                     top + down * static_cast<double>(k / columns), side, side};
  };
  Canvas canvas(left + across * columns + 6, top + down * static_cast<double>(rows) + 20, palette::paper);
  canvas.text({20, 34}, "Stability: what a step of length h makes of a motion with eigenvalue λ", title,
              palette::ink);
  canvas.text({20, 58}, "across: Re hλ, up: Im hλ", label, palette::ink);
  for (std::size_t k = 0; k < regions.size(); ++k)
    draw_region(canvas, regions[k], place(k), k % columns == 0);

  double x = 20;
  const double y = canvas.height() - 24;
  for (const auto& [color, text] :
       {std::pair(color_of(0), "damped"), std::pair(color_of(1), "kept"), std::pair(color_of(2), "grows"),
        std::pair(unknown, "no step possible")}) {
    canvas.fill({x - 1, y - 1, 22, 14}, palette::pale_ink);
    canvas.fill({x, y, 20, 12}, color);
    canvas.text({x + 27, y + 10.5}, text, label, palette::ink);
    x += text_width(text, label) + 52;
  }
  return canvas;
}

}  // namespace stiffly::study
