// Steps that do not pass over what drives a system.
#pragma once

#include <vector>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// A method knows supports, fields and motors at the few times within a step at which it asks for forces: one
/// that a body at rest allows to be long may end after a load was switched on, and none of its estimates
/// shows it. So a step is at most as long as a cubic through four of their values follows all others, to a
/// tenth of their range over the run. What lasts less than a 256th of the run may be missed.
class DriveLimit {
 public:
  /// `duration`: of the run that begins at `start`; 0: steps are not limited.
  DriveLimit(const SecondOrderSystem& system, double start, double duration);
  /// At most h. Jumps are met in ever shorter steps, and passed by one of a millionth of the run.
  double longest_step(double time, double h);
  /// Steps from here on are looked at anew.
  void forget() { followed_to_ = followed_from_; }
  /// Whether a short step meets a jump, or comes so close to one that differences in time, which the books of
  /// energy and some methods take, reach over it.
  bool jumps(double time, double h) const;
  /// Whether there is anything that drives.
  bool driven() const { return !unseen_.empty(); }
  /// Whether a cubic follows all drives over a step.
  bool follows(double time, double h) const;

 private:
  const SecondOrderSystem* system_;
  double duration_;
  double followed_from_ = 0, followed_to_ = 0;  ///< within which a cubic is known to follow all drives
  std::vector<double> unseen_;  ///< of each drive, what a step may not see; empty: there is none
};

}  // namespace stiffly
