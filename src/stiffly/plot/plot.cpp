#include "stiffly/plot/chart.hpp"
#include "stiffly/plot/picture.hpp"

namespace stiffly {

Canvas plot(const std::string& title, std::span<const double> times, std::span<const Curve> curves) {
  Chart chart{.title = title, .x_label = "t (s)", .y_label = "unknowns", .series = {}};
  for (const Curve& curve : curves)
    chart.series.push_back({curve.name, {times.begin(), times.end()}, curve.values});
  return draw(chart);
}

}  // namespace stiffly
