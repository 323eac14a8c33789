// Compiled with -ffast-math, which is how GCC is told that it may call the vector functions of the C library.
#include "stiffly/forces/sines.hpp"

#include <cmath>

namespace stiffly {

void take_sines(double* angles, int count) {
  for (int i = 0; i < count; ++i) angles[i] = std::sin(angles[i]);
}

}  // namespace stiffly
