#include "stiffly/study/sweep.hpp"

#include <cmath>

namespace stiffly::study {

std::vector<SweepRow> sweep(std::span<const double> values,
                            const std::function<SweepStation(double)>& station_at,
                            const Candidates& candidates) {
  std::vector<SweepRow> out;
  for (const double value : values) {
    const SweepStation station = station_at(value);
    for (const auto& candidate : candidates)
      out.push_back({candidate->name(), value, station.unknowns, station.measure(*candidate)});
  }
  return out;
}

double fitted_exponent(std::span<const double> x, std::span<const double> y) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > 0 && y[i] > 0 && std::isfinite(x[i]) && std::isfinite(y[i]))) continue;
    const double u = std::log(x[i]), w = std::log(y[i]);
    n += 1, sx += u, sy += w, sxx += u * u, sxy += u * w;
  }
  const double spread = n * sxx - sx * sx;
  return n >= 2 && spread > 0 ? (n * sxy - sx * sy) / spread : std::nan("");
}

}  // namespace stiffly::study
