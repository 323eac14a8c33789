#include "stiffly/plot/chart.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "stiffly/plot/palette.hpp"

namespace stiffly {
namespace {

constexpr double least_width = 960, least_plot_width = 600, least_plot_height = 420;
constexpr double margin = 20, legend_row = 20, legend_text = 44, strip = 44, strip_gap = 6;
const Font name_font{13};

/// What tells the curves apart, with and without colour: seven colours, five dashes for lines alone, and ten
/// markers have no common divisor that would let combinations return early.
struct Style {
  Color color;
  std::vector<double> dashes;
  std::size_t shape;
  bool filled;

  Style(std::size_t series, bool markers)
      : color(palette::distinct[series % palette::distinct.size()]),
        shape(series % 5),
        filled(series / 5 % 2 == 0) {
    static const std::vector<std::vector<double>> patterns = {{}, {9, 4}, {2, 3}, {9, 3, 2, 3}, {16, 4}};
    if (!markers) dashes = patterns[series % patterns.size()];
  }
};

void draw_marker(Canvas& canvas, Pixel centre, const Style& style) {
  struct Shape {
    int corners;
    double radius, turn;  // turns of the first corner, clockwise from the right
  };
  static constexpr std::array<Shape, 5> shapes = {
      {{24, 4, 0}, {4, 5, 0.125}, {3, 5.4, -0.25}, {4, 5.4, 0}, {3, 5.4, 0.25}}};
  const Shape& s = shapes[style.shape];
  std::vector<Pixel> outline;
  for (int k = 0; k <= s.corners; ++k) {
    const double angle = 2 * std::numbers::pi * (s.turn + static_cast<double>(k) / s.corners);
    outline.push_back({centre.x + s.radius * std::cos(angle), centre.y + s.radius * std::sin(angle)});
  }
  canvas.fill(outline, style.filled ? style.color : palette::paper);
  canvas.line(outline, {style.color, 1.3, {}});
}

void draw_cross(Canvas& canvas, Pixel centre, const Color& color) {
  constexpr double arm = 4.5;
  for (const double side : {-arm, arm})
    canvas.line({centre.x - side, centre.y - arm}, {centre.x + side, centre.y + arm}, {color, 1.8, {}});
}

/// Of points sorted along x, those that make a difference to the eye: of every half pixel the first, the
/// last, the highest and the lowest. Curves of very many points would take Cairo very long.
std::vector<Pixel> thinned(const std::vector<Pixel>& points) {
  std::vector<Pixel> out;
  for (auto from = points.begin(); from != points.end();) {
    const auto column = [](const Pixel& p) { return std::floor(2 * p.x); };
    const auto to =
        std::find_if(from, points.end(), [&](const Pixel& p) { return column(p) != column(*from); });
    const auto [low, high] = std::minmax_element(from, to, [](Pixel a, Pixel b) { return a.y < b.y; });
    std::vector kept = {from, low, high, to - 1};
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (const auto& p : kept) out.push_back(*p);
    from = to;
  }
  return out;
}

std::vector<std::size_t> drawing_order(const Series& s) {
  std::vector<std::size_t> out(s.x.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::erase_if(out, [&](std::size_t i) { return std::isnan(s.x[i]); });
  if (s.order == Order::along_x)
    std::ranges::stable_sort(out, [&](std::size_t a, std::size_t b) { return s.x[a] < s.x[b]; });
  return out;
}

void draw_series(Canvas& canvas, const ChartLayout& layout, const Series& s, std::size_t number,
                 bool markers) {
  const Style style(number, markers);
  std::vector<Pixel> run, all;  // points that follow each other
  const auto finish_run = [&] {
    canvas.line(s.order == Order::along_x ? thinned(run) : run, {style.color, 1.8, style.dashes});
    all.insert(all.end(), run.begin(), run.end());
    run.clear();
  };
  // Failures at the same place stand side by side.
  const double shift = 7.0 * (static_cast<double>(number % 5) - 2);
  for (const std::size_t i : drawing_order(s)) {
    const bool failed_x = Axis::failed(s.x[i]), failed_y = Axis::failed(s.y[i]);
    const bool shown = layout.shows(s.x[i], s.y[i]);
    if (shown && !failed_x && !failed_y) {
      run.push_back(layout.at(s.x[i], s.y[i]));
      continue;
    }
    finish_run();
    if (!shown) continue;
    const Pixel p = layout.at(s.x[i], s.y[i]);
    draw_cross(canvas, {p.x + (failed_x ? shift : 0), p.y + (failed_y ? shift : 0)}, style.color);
  }
  finish_run();
  if (markers)
    for (const Pixel& p : all) draw_marker(canvas, p, style);
  if (s.breaks_off && !all.empty()) draw_cross(canvas, all.back(), style.color);
}

void draw_axes(Canvas& canvas, const Chart& chart, const ChartLayout& at) {
  const Rectangle& plot = at.plot;
  const Pen line{palette::faint, 1, {}}, mark{palette::pale_ink, 1, {}};
  for (const Tick& tick : at.x_ticks) {
    const double x = plot.x + at.x.place(tick.value) * plot.width;
    if (!tick.label.empty()) canvas.line({x, plot.y}, {x, plot.bottom()}, line);
    canvas.line({x, plot.bottom()}, {x, plot.bottom() + (tick.label.empty() ? 3 : 6)}, mark);
    canvas.text({x, plot.bottom() + 20}, tick.label, label_font, palette::ink, Align::centre);
  }
  for (const Tick& tick : at.y_ticks) {
    const double y = plot.bottom() - at.y.place(tick.value) * plot.height;
    if (!tick.label.empty()) canvas.line({plot.x, y}, {plot.right(), y}, line);
    canvas.line({plot.x - (tick.label.empty() ? 3 : 6), y}, {plot.x, y}, mark);
    canvas.text({plot.x - 10, y + 4.5}, tick.label, label_font, palette::ink, Align::right);
  }
  canvas.line(
      std::array<Pixel, 3>{{{plot.x, plot.y}, {plot.x, plot.bottom()}, {plot.right(), plot.bottom()}}}, mark);
  const double y_label = (at.failed_y ? at.failed_y->y : plot.y) - 12;
  if (at.failed_x) {
    canvas.fill(*at.failed_x, mix(palette::paper, palette::faint, 0.55f));
    canvas.text({at.failed_x->centre().x, y_label}, "failed", label_font, palette::pale_ink, Align::centre);
  }
  if (at.failed_y) {
    canvas.fill(*at.failed_y, mix(palette::paper, palette::faint, 0.55f));
    canvas.text({plot.x - 10, at.failed_y->centre().y + 4.5}, "failed", label_font, palette::pale_ink,
                Align::right);
  }
  canvas.text({margin, y_label}, chart.y_label, name_font, palette::ink);
  const double half = text_width(chart.x_label, name_font) / 2;
  canvas.text({std::clamp(plot.centre().x, margin + half, at.width - margin - half), plot.bottom() + 46},
              chart.x_label, name_font, palette::ink, Align::centre);
}

void draw_legend(Canvas& canvas, const Chart& chart, const ChartLayout& at) {
  double y = at.plot.y + 8;
  const double left = (at.failed_x ? at.failed_x->right() : at.plot.right()) + 12;
  const auto entry = [&](const std::string& name, const Pen& pen) {
    canvas.line({left, y}, {left + 26, y}, pen);
    canvas.text({left + legend_text - 12, y + 4.5}, name, label_font, palette::ink);
    y += legend_row;
  };
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Style style(i, chart.markers);
    const Pixel middle{left + 13, y};
    entry(chart.series[i].name, {style.color, 1.8, style.dashes});
    if (chart.markers) draw_marker(canvas, middle, style);
  }
  for (const Guide& guide : chart.guides) entry(guide.name, {palette::pale_ink, 1.4, {5, 4}});
}

/// As many ticks as have room: `length(label)` and a gap for each along an axis of `pixels`.
template <class Length>
std::vector<Tick> fitting_ticks(const Axis& axis, double pixels, int most, const Length& length) {
  for (;; --most) {
    const std::vector<Tick> ticks = axis.ticks(most);
    double end = -1e9;
    bool overlap = false;
    for (const Tick& tick : ticks) {
      if (tick.label.empty()) continue;
      const double middle = axis.place(tick.value) * pixels, half = length(tick.label) / 2;
      overlap |= middle - half < end;
      end = middle + half;
    }
    if (!overlap || most <= 1) return ticks;
  }
}

}  // namespace

bool ChartLayout::shows(double x_value, double y_value) const {
  return (x.shows(x_value) || Axis::failed(x_value)) && (y.shows(y_value) || Axis::failed(y_value));
}

Pixel ChartLayout::at(double x_value, double y_value) const {
  return {Axis::failed(x_value) ? failed_x->centre().x : plot.x + x.place(x_value) * plot.width,
          Axis::failed(y_value) ? failed_y->centre().y : plot.bottom() - y.place(y_value) * plot.height};
}

ChartLayout lay_out(const Chart& chart) {
  ChartLayout out{.x = Axis(chart.log_x), .y = Axis(chart.log_y)};
  bool fails_in_x = false, fails_in_y = false;
  double legend = 0;
  for (const Series& s : chart.series) {
    legend = std::max(legend, text_width(s.name, label_font));
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!out.shows(s.x[i], s.y[i])) continue;
      out.x.include(s.x[i]);
      out.y.include(s.y[i]);
      fails_in_x |= Axis::failed(s.x[i]);
      fails_in_y |= Axis::failed(s.y[i]);
    }
  }
  for (const Guide& guide : chart.guides) {
    legend = std::max(legend, text_width(guide.name, label_font));
    out.x.include(guide.x);
  }
  const auto entries = static_cast<double>(chart.series.size() + chart.guides.size());
  const auto widest = [](const std::vector<Tick>& ticks) {
    double width = text_width("failed", label_font);
    for (const Tick& tick : ticks) width = std::max(width, text_width(tick.label, label_font));
    return width;
  };

  Rectangle& plot = out.plot;
  plot.y = 84 + (fails_in_y ? strip + strip_gap : 0);
  plot.height = std::max(least_plot_height, entries * legend_row + 8);
  out.height = plot.bottom() + (chart.footer.empty() ? 62 : 88);
  out.y_ticks = fitting_ticks(out.y, plot.height, 9, [](const std::string&) { return 2 * label_font.size; });

  plot.x = margin + widest(out.y_ticks) + 12;
  const double right = (fails_in_x ? strip + strip_gap : 0) + 12 + legend_text - 12 + legend + margin;
  const double words =
      std::max({text_width(chart.title, title_font), text_width(chart.footer, small_font),
                text_width(chart.y_label, name_font) + 100, text_width(chart.x_label, name_font)});
  out.width = std::ceil(std::max({least_width, plot.x + least_plot_width + right, words + 2 * margin}));
  plot.width = out.width - plot.x - right;
  out.x_ticks = fitting_ticks(out.x, plot.width, 9,
                              [](const std::string& label) { return text_width(label, label_font) + 14; });
  if (fails_in_x) out.failed_x = {plot.right() + strip_gap, plot.y, strip, plot.height};
  if (fails_in_y) out.failed_y = {plot.x, plot.y - strip_gap - strip, plot.width, strip};
  return out;
}

Canvas draw(const Chart& chart) {
  const ChartLayout layout = lay_out(chart);
  Canvas canvas(layout.width, layout.height, palette::paper);
  draw_axes(canvas, chart, layout);
  for (const Guide& guide : chart.guides) {
    if (!layout.x.shows(guide.x)) continue;
    const double x = layout.plot.x + layout.x.place(guide.x) * layout.plot.width;
    canvas.line({x, layout.plot.y}, {x, layout.plot.bottom()}, {palette::pale_ink, 1.4, {5, 4}});
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    draw_series(canvas, layout, chart.series[i], i, chart.markers);
  draw_legend(canvas, chart, layout);
  canvas.text({margin, 34}, chart.title, title_font, palette::ink);
  canvas.text({margin, layout.height - 14}, chart.footer, small_font, palette::pale_ink);
  return canvas;
}

}  // namespace stiffly
