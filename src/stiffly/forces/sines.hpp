// Many sines at once.
#pragma once

namespace stiffly {

/// Replaces each by its sine, to four units in the last place.
void take_sines(double* angles, int count);

}  // namespace stiffly
