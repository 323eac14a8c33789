#include "stiffly/plot/tile_chart.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/plot/canvas.hpp"

namespace stiffly {
namespace {

constexpr Color paper = {1, 1, 1}, ink = {0.20f, 0.23f, 0.28f};
constexpr double heading = 16, label = 11, name = 10, small = 8;
constexpr double margin = 24, top = 100, bottom = 124, panel_gap = 36, tile_gap = 3, line_height = 19;

/// Where everything goes: from the lengths of what is written.
class Layout {
 public:
  explicit Layout(const TileChart& chart) {
    double widest = 90, most_lines = 1, row_label = 0;
    for (const TilePanel& panel : chart.panels)
      for (const Tile& tile : panel.tiles) {
        most_lines = std::max(most_lines, static_cast<double>(tile.lines.size()));
        for (std::size_t i = 0; i < tile.lines.size(); ++i)
          widest = std::max(widest, text_width(tile.lines[i], i == 0 ? name : small));
      }
    for (const std::string& row : chart.rows) row_label = std::max(row_label, text_width(row, label));
    tile_width = widest + 16;
    tile_height = most_lines * line_height + 16;
    left = margin + row_label + 12;
    panel_width = static_cast<double>(chart.columns.size()) * tile_width;
    panel_height = static_cast<double>(chart.rows.size()) * tile_height;
    const auto panels = static_cast<double>(chart.panels.size());
    double legend = 0;
    for (const auto& entry : chart.legend) legend += legend_width(entry.second);
    width = std::max({left + panels * panel_width + (panels - 1) * panel_gap + margin,
                      left + text_width(chart.title, heading) + margin,
                      left + text_width(chart.footer, small) + margin, left + legend + margin});
    height = top + panel_height + bottom;
  }

  double panel_left(std::size_t panel) const {
    return left + static_cast<double>(panel) * (panel_width + panel_gap);
  }
  static double legend_width(const std::string& text) { return text_width(text, label) + 52; }

  double tile_width, tile_height, left, panel_width, panel_height, width, height;
};

/// Black or white, whichever can be read on it.
Color on(const Color& background) {
  return 0.30f * background[0] + 0.59f * background[1] + 0.11f * background[2] > 0.55f ? ink : paper;
}

void draw_tile(Canvas& canvas, const Tile& tile, Pixel corner, const Layout& at) {
  canvas.fill({corner.x + 0.5 * tile_gap, corner.y + 0.5 * tile_gap}, at.tile_width - tile_gap,
              at.tile_height - tile_gap, tile.color);
  const double first =
      corner.y + 0.5 * (at.tile_height - static_cast<double>(tile.lines.size()) * line_height) + 14;
  for (std::size_t i = 0; i < tile.lines.size(); ++i)
    canvas.text({corner.x + 0.5 * at.tile_width, first + static_cast<double>(i) * line_height}, tile.lines[i],
                i == 0 ? name : small, on(tile.color), Align::centre);
}

void draw(const TileChart& chart, const Layout& at, Canvas& canvas) {
  const double floor = top + at.panel_height;
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    const double left = at.panel_left(p);
    canvas.text({left + 0.5 * at.panel_width, top - 14}, chart.panels[p].title, label + 1, ink,
                Align::centre);
    for (std::size_t i = 0; i < chart.panels[p].tiles.size(); ++i) {
      const auto row = static_cast<double>(i / chart.columns.size()),
                 column = static_cast<double>(i % chart.columns.size());
      draw_tile(canvas, chart.panels[p].tiles[i],
                {left + column * at.tile_width, floor - (row + 1) * at.tile_height}, at);
    }
    for (std::size_t c = 0; c < chart.columns.size(); ++c)
      canvas.text({left + (static_cast<double>(c) + 0.5) * at.tile_width, floor + 22}, chart.columns[c],
                  label, ink, Align::centre);
    canvas.text({left + 0.5 * at.panel_width, floor + 44}, chart.x_label, label, ink, Align::centre);
  }
  for (std::size_t r = 0; r < chart.rows.size(); ++r)
    canvas.text({at.left - 12, floor - (static_cast<double>(r) + 0.5) * at.tile_height + 5}, chart.rows[r],
                label, ink, Align::right);
  double x = at.left;
  for (const auto& [color, text] : chart.legend) {
    canvas.fill({x, floor + 64}, 20, 14, color);
    canvas.text({x + 28, floor + 76}, text, label, ink, Align::left);
    x += Layout::legend_width(text);
  }
  canvas.text({at.left, 32}, chart.title, heading, ink, Align::left);
  canvas.text({margin, 62}, chart.y_label, label, ink, Align::left);
  canvas.text({at.left, at.height - 12}, chart.footer, small, ink, Align::left);
}

template <class Kind>
Kind drawn(const TileChart& chart) {
  const Layout at(chart);
  Kind canvas(static_cast<int>(std::ceil(at.width)), static_cast<int>(std::ceil(at.height)), paper);
  draw(chart, at, canvas);
  return canvas;
}

}  // namespace

Image draw(const TileChart& chart) { return drawn<ImageCanvas>(chart).take(); }

std::string draw_svg(const TileChart& chart) { return drawn<SvgCanvas>(chart).take(); }

}  // namespace stiffly
