// Coloured tiles with words in them, panel by panel: what is best where.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stiffly/plot/image.hpp"

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
  std::vector<TilePanel> panels;           ///< side by side, of columns × rows tiles each
  std::vector<std::pair<Color, std::string>> legend;
  std::string footer;  ///< small print
};

/// As pixels; as large as the words need.
Image draw(const TileChart& chart);
/// The same as an SVG document.
std::string draw_svg(const TileChart& chart);

}  // namespace stiffly
