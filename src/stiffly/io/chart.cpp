#include "stiffly/io/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
constexpr int width = 1200, height = 700, left = 104, right = 210, top = 64, bottom = 88;

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
  /// 0 … 1
  double place(double v) const { return (scaled(v) - low_) / (high_ - low_); }
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

}  // namespace

Image draw(const Chart& chart) {
  Image image(width, height, paper);
  Axis x(chart.log_x), y(chart.log_y);
  for (const Series& s : chart.series)
    for (std::size_t i = 0; i < s.x.size(); ++i)
      if (x.shows(s.x[i]) && y.shows(s.y[i])) x.add(s.x[i]), y.add(s.y[i]);
  x.round();
  y.round();
  const auto x_at = [&](double v) { return left + x.place(v) * (width - left - right); };
  const auto y_at = [&](double v) { return height - bottom - y.place(v) * (height - top - bottom); };

  for (const double m : x.marks()) {
    image.stroke({x_at(m), static_cast<double>(top)}, {x_at(m), static_cast<double>(height - bottom)}, 1,
                 grid);
    draw_text(image, {x_at(m), height - bottom + 22.0}, fmt::format("{:.4g}", m), 11, ink, Align::centre);
  }
  for (const double m : y.marks()) {
    image.stroke({static_cast<double>(left), y_at(m)}, {static_cast<double>(width - right), y_at(m)}, 1,
                 grid);
    draw_text(image, {left - 10.0, y_at(m) + 5}, fmt::format("{:.4g}", m), 11, ink, Align::right);
  }
  for (std::size_t c = 0; c < chart.series.size(); ++c) {
    const Color color = line_colors[c % line_colors.size()];
    const Series& s = chart.series[c];
    bool joined = false;
    Pixel before;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!x.shows(s.x[i]) || !y.shows(s.y[i])) {
        joined = false;
        continue;
      }
      const Pixel here{x_at(s.x[i]), y_at(s.y[i])};
      if (joined) image.stroke(before, here, 1.6, color);
      if (chart.markers) image.stroke(here, here, 6, color);
      before = here;
      joined = true;
    }
    const double row = top + 20.0 * static_cast<double>(c);
    if (row > height - bottom) continue;
    image.stroke({width - right + 16.0, row}, {width - right + 38.0, row}, 2.4, color);
    draw_text(image, {width - right + 46.0, row + 5}, s.name, 11, ink);
  }
  draw_text(image, {static_cast<double>(left), 28}, chart.title, 16, ink);
  draw_text(image, {left - 10.0, top - 12.0}, chart.y_label, 11, ink, Align::left);
  draw_text(image, {0.5 * (left + width - right), height - bottom + 48.0}, chart.x_label, 12, ink,
            Align::centre);
  draw_text(image, {static_cast<double>(left), height - 10.0}, chart.footer, 9, ink);
  return image;
}

}  // namespace stiffly
