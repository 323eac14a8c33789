#include "stiffly/contact/repulsion_law.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {

void check(const RepulsionLaw& law, const FrictionLaw& friction) {
  for (const double number : {law.stiffness, law.range, friction.speed})
    if (!(std::isfinite(number) && number > 0))
      throw InputError(fmt::format(
          "stiffness and range of a repulsion and the speed of friction must be positive and finite, not {}",
          number));
  if (!(std::isfinite(friction.coefficient) && friction.coefficient >= 0))
    throw InputError(fmt::format("the friction coefficient must be finite and not negative, not {}",
                                 friction.coefficient));
}

}  // namespace stiffly
