#include "stiffly/forces/lame.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {

Lame Lame::from_young(double young, double poisson) {
  if (!(std::isfinite(young) && young > 0))
    throw InputError(fmt::format("Young's modulus must be positive and finite, not {}", young));
  if (!(poisson > -1 && poisson < 0.5))
    throw InputError(
        fmt::format("Poisson's ratio must be between -1 and 0.5 (both excluded), not {}", poisson));
  return {.mu = young / (2 * (1 + poisson)), .lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

}  // namespace stiffly
