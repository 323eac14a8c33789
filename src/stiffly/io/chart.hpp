// Curves on axes, linear or logarithmic.
#pragma once

#include <string>
#include <vector>

#include "stiffly/io/image.hpp"

namespace stiffly {

struct Series {
  std::string name;
  std::vector<double> x, y;  ///< of equal length; points that cannot be shown (not finite, not positive on a
                             ///< logarithmic axis) are left out
};

struct Chart {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  bool markers = false;
  std::vector<Series> series;
  std::string footer;  ///< small print
};

Image draw(const Chart& chart);

}  // namespace stiffly
