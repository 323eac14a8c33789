// Coloured tiles with words in them, panel by panel: what is best where.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stiffly/plot/canvas.hpp"

namespace stiffly {

struct Tile {
  Color color = {1, 1, 1};
  std::vector<std::string> lines = {};  ///< the first is written larger
};

struct TilePanel {
  std::string title;
  std::vector<Tile> tiles;  ///< the lowest row first, each from left to right
};

struct TileChart {
  std::string title, x_label, y_label;
  std::vector<std::string> columns, rows;  ///< what is written at the axes, from left and from below
  std::vector<TilePanel> panels;           ///< of columns × rows tiles each
  std::vector<std::pair<Color, std::string>> legend;
  std::string footer = {};  ///< small print
};

/// Where everything of a chart goes: as large as the words need, panels in rows.
struct TileLayout {
  double width = 0, height = 0;
  double tile_width = 0, tile_height = 0, left = 0, legend = 0;  ///< left edge of panels, top of the legend
  std::size_t columns = 0, rows = 0, panels_across = 1;

  Rectangle panel(std::size_t index) const;
  Rectangle tile(std::size_t panel_index, std::size_t index) const;
};

TileLayout lay_out(const TileChart& chart);
Canvas draw(const TileChart& chart);

}  // namespace stiffly
