#include "stiffly/plot/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/plot/canvas.hpp"

namespace stiffly {
namespace {

constexpr Color paper = {1, 1, 1}, ink = {0.20f, 0.23f, 0.28f}, grid = {0.90f, 0.91f, 0.93f};
constexpr std::array<Color, 10> line_colors = {{{0.16f, 0.38f, 0.64f},
                                                {0.90f, 0.49f, 0.22f},
                                                {0.22f, 0.60f, 0.45f},
                                                {0.72f, 0.27f, 0.42f},
                                                {0.48f, 0.41f, 0.68f},
                                                {0.55f, 0.52f, 0.36f},
                                                {0.10f, 0.62f, 0.74f},
                                                {0.85f, 0.65f, 0.13f},
                                                {0.45f, 0.45f, 0.48f},
                                                {0.60f, 0.20f, 0.15f}}};
constexpr int width = 1200, height = 700, left = 104, top = 64, bottom = 88;

/// A span of values with round marks.
class Axis {
 public:
  explicit Axis(bool logarithmic) : log_(logarithmic) {}
  bool shows(double v) const { return std::isfinite(v) && (!log_ || v > 0); }
  void add(double v) {
    if (!shows(v)) return;
    const double s = scaled(v);
    low_ = empty_ ? s : std::min(low_, s);
    high_ = empty_ ? s : std::max(high_, s);
    empty_ = false;
  }
  void round() {
    if (!(high_ - low_ > 1e-12 * std::max(std::abs(high_), 1e-300))) {
      low_ -= 1;
      high_ += 1;
    }
    if (log_) {  // whole decades, every one or every few of them marked
      low_ = std::floor(low_ + 1e-9);
      high_ = std::ceil(high_ - 1e-9);
      mark_ = std::max(1.0, std::ceil((high_ - low_) / 10));
      return;
    }
    const double rough = (high_ - low_) / 5, power = std::pow(10, std::floor(std::log10(rough)));
    mark_ = power * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
  }
  /// Whether it belongs to the edge: infinite in the direction of large values.
  static bool beyond(double v) { return std::isinf(v) && v > 0; }
  /// 0 … 1
  double place(double v) const { return beyond(v) ? 1 : (scaled(v) - low_) / (high_ - low_); }
  std::vector<double> marks() const {
    std::vector<double> out;
    for (double m = std::ceil(low_ / mark_ - 1e-9); m <= high_ / mark_ + 1e-9; ++m)
      out.push_back(log_ ? std::pow(10, m * mark_) : m * mark_);
    return out;
  }

 private:
  double scaled(double v) const { return log_ ? std::log10(v) : v; }

  bool log_;
  bool empty_ = true;
  double low_ = 0, high_ = 0, mark_ = 1;
};

/// One curve: lines between points that follow each other, crosses at the edge for what is beyond it.
void draw_series(Canvas& canvas, const Series& s, const Color& color, bool markers, const Axis& x,
                 const Axis& y, int right) {
  bool joined = false;
  Pixel before;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const bool edge = Axis::beyond(s.x[i]) || Axis::beyond(s.y[i]);
    const bool x_fits = x.shows(s.x[i]) || Axis::beyond(s.x[i]),
               y_fits = y.shows(s.y[i]) || Axis::beyond(s.y[i]);
    if (!x_fits || !y_fits) {
      joined = false;
      continue;
    }
    const Pixel here{left + x.place(s.x[i]) * (width - left - right),
                     height - bottom - y.place(s.y[i]) * (height - top - bottom)};
    if (edge) {
      constexpr double arm = 5;
      canvas.stroke({here.x - arm, here.y - arm}, {here.x + arm, here.y + arm}, 1.6, color);
      canvas.stroke({here.x - arm, here.y + arm}, {here.x + arm, here.y - arm}, 1.6, color);
      joined = false;
      continue;
    }
    if (joined) canvas.stroke(before, here, 1.6, color);
    if (markers) canvas.stroke(here, here, 6, color);
    before = here;
    joined = true;
  }
}

/// Room for the names on the right.
int legend_width(const Chart& chart) {
  double longest = 0;
  for (const Series& s : chart.series) longest = std::max(longest, text_width(s.name, 11));
  return std::clamp(static_cast<int>(longest) + 58, 210, 500);
}

void draw(const Chart& chart, Canvas& canvas) {
  const int right = legend_width(chart);
  Axis x(chart.log_x), y(chart.log_y);
  for (const Series& s : chart.series)
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (y.shows(s.y[i]) || Axis::beyond(s.y[i])) x.add(s.x[i]);
      if (x.shows(s.x[i]) || Axis::beyond(s.x[i])) y.add(s.y[i]);
    }
  x.round();
  y.round();
  const auto x_at = [&](double v) { return left + x.place(v) * (width - left - right); };
  const auto y_at = [&](double v) { return height - bottom - y.place(v) * (height - top - bottom); };

  for (const double m : x.marks()) {
    canvas.stroke({x_at(m), static_cast<double>(top)}, {x_at(m), static_cast<double>(height - bottom)}, 1,
                  grid);
    canvas.text({x_at(m), height - bottom + 22.0}, fmt::format("{:.4g}", m), 11, ink, Align::centre);
  }
  for (const double m : y.marks()) {
    canvas.stroke({static_cast<double>(left), y_at(m)}, {static_cast<double>(width - right), y_at(m)}, 1,
                  grid);
    canvas.text({left - 10.0, y_at(m) + 5}, fmt::format("{:.4g}", m), 11, ink, Align::right);
  }
  for (std::size_t c = 0; c < chart.series.size(); ++c) {
    const Color color = line_colors[c % line_colors.size()];
    const Series& s = chart.series[c];
    draw_series(canvas, s, color, chart.markers, x, y, right);
    const double row = top + 20.0 * static_cast<double>(c);
    if (row > height - bottom) continue;
    canvas.stroke({width - right + 16.0, row}, {width - right + 38.0, row}, 2.4, color);
    canvas.text({width - right + 46.0, row + 5}, s.name, 11, ink, Align::left);
  }
  canvas.text({static_cast<double>(left), 28}, chart.title, 16, ink, Align::left);
  canvas.text({left - 10.0, top - 12.0}, chart.y_label, 11, ink, Align::left);
  canvas.text({0.5 * (left + width - right), height - bottom + 48.0}, chart.x_label, 12, ink, Align::centre);
  canvas.text({static_cast<double>(left), height - 10.0}, chart.footer, 9, ink, Align::left);
}

}  // namespace

Image draw(const Chart& chart) {
  ImageCanvas canvas(width, height, paper);
  draw(chart, canvas);
  return std::move(canvas).take();
}

std::string draw_svg(const Chart& chart) {
  SvgCanvas canvas(width, height, paper);
  draw(chart, canvas);
  return std::move(canvas).take();
}

}  // namespace stiffly
