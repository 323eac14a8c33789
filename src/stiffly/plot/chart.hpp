// Curves on axes, linear or logarithmic.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stiffly/plot/axis.hpp"
#include "stiffly/plot/canvas.hpp"

namespace stiffly {

/// How points become a curve.
enum class Order {
  along_x,  ///< sorted: a function of x
  given     ///< as they are: both coordinates follow a third quantity, such as the step
};

struct Series {
  std::string name;
  std::vector<double> x, y;  ///< of equal length. What is infinite failed: it is marked by a cross in a strip
                             ///< beside the axes. Other values that have no place (not a number, not positive
                             ///< on a logarithmic axis) are left out and interrupt the curve
  Order order = Order::along_x;
  bool breaks_off = false;  ///< the last point is the last one before a failure, and marked by a cross
};

/// A line across the chart at one value of x.
struct Guide {
  std::string name;
  double x = 0;
};

struct Chart {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  bool markers = false;
  std::vector<Series> series;
  std::vector<Guide> guides = {};
  std::string footer = {};  ///< small print
};

/// Where everything of a chart goes.
struct ChartLayout {
  double width = 0, height = 0;
  Rectangle plot = {};  ///< between the ends of the axes
  Axis x, y;
  std::vector<Tick> x_ticks = {}, y_ticks = {};
  std::optional<Rectangle> failed_x = {},
                           failed_y = {};  ///< strips for failures, right of the plot and above it

  bool shows(double x_value, double y_value) const;
  /// Of what is shown.
  Pixel at(double x_value, double y_value) const;
};

ChartLayout lay_out(const Chart& chart);
Canvas draw(const Chart& chart);

}  // namespace stiffly
