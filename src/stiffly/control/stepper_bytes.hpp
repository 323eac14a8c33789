// What steppers take of memory.
#pragma once

namespace stiffly {

/// About, bytes.
struct StepperBytes {
  double all = 0;
  double saved = 0;  ///< what Stepper::save gives
};

}  // namespace stiffly
