// What yielding has taken.
#pragma once

#include <cstddef>

namespace stiffly {

/// Since a body was as it is drawn.
struct PlasticWork {
  double heat = 0;          ///< J, lost
  double stored = 0;        ///< J, in the hardening, which does not come back either
  double strain = 0;        ///< the largest plastic one
  std::size_t yielded = 0;  ///< how many have

  double total() const { return heat + stored; }
};

}  // namespace stiffly
