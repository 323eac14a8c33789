#include "stiffly/plot/tile_chart.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/plot/palette.hpp"

namespace stiffly {
namespace {

constexpr double usual_width = 1060, least_tile = 90;
constexpr double page_margin = 20, top = 104, below_panel = 56, panel_gap = 32, line_height = 18;
const Font panel_font{13, true};

/// The first line of a tile is written larger.
Font font_of_line(std::size_t line) { return line == 0 ? Font{13} : small_font; }

double legend_width(const std::string& text) { return text_width(text, label_font) + 48; }

/// Black or white, whichever can be read on it: the weights are those of the eye for red, green and blue.
Color on(const Color& background) {
  return 0.30f * background[0] + 0.59f * background[1] + 0.11f * background[2] > 0.5f ? palette::ink
                                                                                      : palette::paper;
}

void draw_tile(Canvas& canvas, const Tile& tile, const Rectangle& area) {
  canvas.fill({area.x + 1, area.y + 1, area.width - 2, area.height - 2}, tile.color);
  double y = area.centre().y - 0.5 * static_cast<double>(tile.lines.size()) * line_height + 13;
  for (std::size_t i = 0; i < tile.lines.size(); ++i, y += line_height)
    canvas.text({area.centre().x, y}, tile.lines[i], font_of_line(i), on(tile.color), Align::centre);
}

void draw_panel(Canvas& canvas, const TileChart& chart, const TileLayout& layout, std::size_t p) {
  const Rectangle area = layout.panel(p);
  canvas.text({area.centre().x, area.y - 10}, chart.panels[p].title, panel_font, palette::ink, Align::centre);
  for (std::size_t i = 0; i < chart.panels[p].tiles.size(); ++i)
    draw_tile(canvas, chart.panels[p].tiles[i], layout.tile(p, i));
  for (std::size_t c = 0; c < chart.columns.size(); ++c)
    canvas.text({layout.tile(p, c).centre().x, area.bottom() + 18}, chart.columns[c], label_font,
                palette::ink, Align::centre);
  canvas.text({area.centre().x, area.bottom() + 38}, chart.x_label, label_font, palette::ink, Align::centre);
  if (p % layout.panels_across != 0) return;
  for (std::size_t r = 0; r < chart.rows.size(); ++r)
    canvas.text({area.x - 10, layout.tile(p, r * layout.columns).centre().y + 4.5}, chart.rows[r], label_font,
                palette::ink, Align::right);
}

}  // namespace

Rectangle TileLayout::panel(std::size_t index) const {
  const double across = static_cast<double>(columns) * tile_width,
               up = static_cast<double>(rows) * tile_height;
  return {left + static_cast<double>(index % panels_across) * (across + panel_gap),
          top + static_cast<double>(index / panels_across) * (up + below_panel + panel_gap), across, up};
}

Rectangle TileLayout::tile(std::size_t panel_index, std::size_t index) const {
  const Rectangle area = panel(panel_index);
  return {area.x + static_cast<double>(index % columns) * tile_width,
          area.bottom() - static_cast<double>(index / columns + 1) * tile_height, tile_width, tile_height};
}

TileLayout lay_out(const TileChart& chart) {
  TileLayout out{.columns = chart.columns.size(), .rows = chart.rows.size()};
  double widest = least_tile, row_label = 0, legend = 0;
  std::size_t most_lines = 1;
  const auto widen = [&](const std::string& text, const Font& font) {
    widest = std::max(widest, text_width(text, font));
  };
  const double columns = std::max<double>(1, static_cast<double>(out.columns));
  double panel_words = text_width(chart.x_label, label_font);
  for (const std::string& column : chart.columns) widen(column, label_font);
  for (const TilePanel& panel : chart.panels) {
    panel_words = std::max(panel_words, text_width(panel.title, panel_font));
    for (const Tile& tile : panel.tiles) {
      most_lines = std::max(most_lines, tile.lines.size());
      for (std::size_t i = 0; i < tile.lines.size(); ++i) widen(tile.lines[i], font_of_line(i));
    }
  }
  for (const std::string& row : chart.rows) row_label = std::max(row_label, text_width(row, label_font));
  for (const auto& entry : chart.legend) legend += legend_width(entry.second);

  out.tile_width = std::ceil(std::max(widest + 16, panel_words / columns));
  out.tile_height = static_cast<double>(most_lines) * line_height + 12;
  out.left = std::ceil(page_margin + row_label + 10);
  const std::size_t panels = chart.panels.size();
  const double panel_width = columns * out.tile_width + panel_gap;
  out.panels_across = std::clamp<std::size_t>(
      static_cast<std::size_t>((usual_width - out.left - page_margin + panel_gap) / panel_width), 1,
      std::max<std::size_t>(panels, 1));
  out.width = std::ceil(std::max({out.left + static_cast<double>(out.panels_across) * panel_width - panel_gap,
                                  page_margin + text_width(chart.title, title_font),
                                  page_margin + text_width(chart.footer, small_font),
                                  page_margin + text_width(chart.y_label, label_font), out.left + legend}) +
                        page_margin);
  out.legend = out.panel(panels == 0 ? 0 : panels - 1).bottom() + below_panel;
  out.height = out.legend + 52;
  return out;
}

Canvas draw(const TileChart& chart) {
  const TileLayout layout = lay_out(chart);
  Canvas canvas(layout.width, layout.height, palette::paper);
  canvas.text({page_margin, 34}, chart.title, title_font, palette::ink);
  canvas.text({page_margin, 66}, chart.y_label, label_font, palette::ink);
  for (std::size_t p = 0; p < chart.panels.size(); ++p) draw_panel(canvas, chart, layout, p);
  double x = layout.left;
  for (const auto& [color, text] : chart.legend) {
    canvas.fill({x, layout.legend, 20, 13}, color);
    canvas.text({x + 27, layout.legend + 11}, text, label_font, palette::ink);
    x += legend_width(text);
  }
  canvas.text({page_margin, layout.height - 14}, chart.footer, small_font, palette::pale_ink);
  return canvas;
}

}  // namespace stiffly
