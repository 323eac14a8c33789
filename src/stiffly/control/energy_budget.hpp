// How much a step may change the energy of a system that should keep it.
#pragma once

#include <span>
#include <vector>

#include "stiffly/control/motion_scale.hpp"

namespace stiffly {

/// An error estimate sees what a step does to positions and velocities, not what many steps do together:
/// where stiff links turn, every step may lose a little more than the last, and a pendulum comes to rest.
/// Where nothing damps or drives a system, the energy is a second judge. Over the run it may change by the
/// tolerance times the energy in motion: half of that at any time, the other half in proportion to the time
/// that has passed. Of other passive systems only a gain is an error, and is judged step by step.
class EnergyBudget {
 public:
  EnergyBudget(const SecondOrderSystem& system, const State& start, double energy, double duration,
               double tolerance);

  /// What a step of h to `time` has changed, in parts of what it may: at most 1 is good. `gain_counts`: for
  /// methods that do not see energy come and go within a vibration.
  double share(const MotionScale& scale, double before, double after, double time, double h,
               bool gain_counts) const;
  /// After a step that was rejected for its energy: whether shorter steps have not helped for long.
  /// Vibrations far faster than the steps are damped in one step, whatever its length.
  bool hopeless(double h, double share);
  /// The step to that energy was taken: it is the one to keep from here on, and what it lost is noted.
  void accept_loss(double before, double after);
  void accept() { rejected_ = {}; }
  /// J, that no step could keep.
  double lost() const { return lost_; }

  std::vector<double> save() const { return {reference_, lost_}; }
  void restore(std::span<const double> memory) { reference_ = memory[0], lost_ = memory[1]; }

 private:
  struct Rejected {
    int count = 0;
    double h = 0, share = 0;  ///< of the first
  };

  bool kept_;  ///< whether the system keeps its energy
  double start_time_, duration_, tolerance_;
  double reference_;  ///< J
  double lost_ = 0;
  Rejected rejected_;
};

}  // namespace stiffly
