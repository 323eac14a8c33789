#include "stiffly/forces/spring_law.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {

void check(const SpringMaterial& m, const std::string& where) {
  const auto fail = [&](const std::string& what) { throw InputError(fmt::format("{}: {}", where, what)); };
  if (!(std::isfinite(m.stiffness) && m.stiffness >= 0))
    fail(fmt::format("stiffness must be finite and not negative, not {}", m.stiffness));
  if (!(std::isfinite(m.rest_length) && m.rest_length > 0))
    fail(fmt::format("rest length must be positive and finite, not {} (do both ends coincide?)",
                     m.rest_length));
  if (!(std::isfinite(m.damping) && m.damping >= 0))
    fail(fmt::format("damping must be finite and not negative, not {}", m.damping));
}

}  // namespace stiffly
