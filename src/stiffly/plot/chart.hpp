// Curves on axes, linear or logarithmic.
#pragma once

#include <string>
#include <vector>

#include "stiffly/plot/image.hpp"

namespace stiffly {

struct Series {
  std::string name;
  std::vector<double> x, y;  ///< of equal length; infinite values are marked by a cross at the chart's edge
                             ///< (what failed is shown), others that cannot be shown (not a number, not
                             ///< positive on a logarithmic axis) are left out
};

struct Chart {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  bool markers = false;
  std::vector<Series> series;
  std::string footer;  ///< small print
};

/// As pixels.
Image draw(const Chart& chart);
/// The same as an SVG document.
std::string draw_svg(const Chart& chart);

}  // namespace stiffly
