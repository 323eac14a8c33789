// What came out of trying methods, and which one was chosen.
#pragma once

#include <string>
#include <vector>

namespace stiffly {

/// A method that was tried.
struct TrialResult {
  std::string integrator;
  double cost = 0;           ///< seconds of computing per simulated second; at least, if a step was given up
  double step = 0;           ///< the last one made, s, or the one to be made where none was accepted yet
  bool growing = false;      ///< its steps had not found their length yet
  double error = 0;          ///< at a given step: of a step, relative to the motion
  std::string failure = {};  ///< why it cannot be taken
};

/// A choice, with its reason in one line and all that was tried, the best first.
struct Decision {
  double time = 0;  ///< simulated, when it was made
  std::string integrator;
  std::string reason;
  std::vector<TrialResult> trials;
  double seconds = 0;  ///< that the trials took, but for those whose steps the run took over
};

}  // namespace stiffly
