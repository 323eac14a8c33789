#include "stiffly/contact/projection_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {

void ProjectionLaw::check() const {
  if (!(restitution >= 0 && restitution <= 1))
    throw InputError(fmt::format("the restitution must be between 0 and 1, not {}", restitution));
  if (!(std::isfinite(friction) && friction >= 0))
    throw InputError(
        fmt::format("the friction coefficient must be finite and not negative, not {}", friction));
  if (!(std::isfinite(depth) && depth > 0))
    throw InputError(fmt::format("the depth of overlaps that are left must be positive, not {} m", depth));
}

ProjectionReport& ProjectionReport::operator+=(const ProjectionReport& later) {
  contacts = std::max(contacts, later.contacts);
  crossings += later.crossings;
  passes += later.passes;
  halvings += later.halvings;
  deepest = std::max(deepest, later.deepest);
  taken += later.taken;
  driven += later.driven;
  made += later.made;
  return *this;
}

}  // namespace stiffly
