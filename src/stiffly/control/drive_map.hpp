// What drives a system over a whole run, for those who step its parts apart.
#pragma once

#include <vector>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

class DriveLimit;

/// A run cut into stretches over each of which a cubic follows all that drives the system, as DriveLimit asks
/// it of steps. Made once; many may ask at a time, and the answer depends on nothing that was asked before.
class DriveMap {
 public:
  DriveMap(const SecondOrderSystem& system, double start, double duration);
  /// At most h, such that the step is no longer than any stretch that it reaches into, unless it ends where
  /// that begins.
  double longest_step(double time, double h) const;

 private:
  void cut(const DriveLimit& drives, double shortest, double begin, double length);

  std::vector<double> begins_;  ///< of the stretches, and the end of the run; empty: nothing drives
};

}  // namespace stiffly
