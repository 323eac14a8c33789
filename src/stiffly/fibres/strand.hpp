// Where a fibre is among the particles of a system.
#pragma once

namespace stiffly {

/// Its particles stand one after the other, four to a cross-section, the root first; numbers are the user's.
struct Strand {
  int first_particle = 0, sections = 0;
};

}  // namespace stiffly
