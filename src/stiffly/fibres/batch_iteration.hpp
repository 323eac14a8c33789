// How the iteration of one fibre goes on: the rules of MixedIteration, where corrections are known by their
// size alone.
#pragma once

#include <optional>

namespace stiffly {

/// For one fibre after the other's correction: whether it has converged, and whether its factor still serves.
/// A factor serves as long as the iteration contracts well, from one step to the next, too, while they are of
/// the same length.
class FibreIteration {
 public:
  enum class Verdict {
    goes_on,
    converged,
    renew,    ///< needs a new factor where it is
    restart,  ///< needs a new factor where it began
    failed
  };

  /// A step of h with an error of `tolerance` relative to the velocities; `speed` and `distance` are the
  /// norms of the velocities at its start and of the positions these lead to.
  void begin(double h, double tolerance, double speed, double distance);
  bool needs_factor() const { return !factor_step_; }
  void made_factor();
  /// After a correction of the acceleration, by the norms of both.
  Verdict see(double correction, double acceleration);

 private:
  Verdict judge(double correction, double acceleration) const;
  /// Whether what the kept factor costs in iterations is still less than a new one.
  void judge_factor();

  double h_ = 0, tolerance_ = 0, speed_ = 0, floor_ = 0;
  std::optional<double> factor_step_;  // none: there is no factor
  bool fresh_ = false;                 // the factor was made in this step
  int passes_ = 0;                     // on different factors in this step
  int count_ = 0;                      // of corrections on this factor in this step
  double first_ = 0, last_ = 0, before_last_ = 0;
  int fresh_count_ = 0;  // of corrections that the factor took when it was new
  double wasted_ = 0;    // corrections beyond those, since then
  // After a kept factor did not serve, the next few steps begin with one of their own.
  int patience_ = 0, renewals_ = 0;
};

}  // namespace stiffly
