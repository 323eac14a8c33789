// How the iteration of one fibre goes on, by the rules of MixedIteration.
#pragma once

#include <optional>

#include "stiffly/integrators/contraction.hpp"

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
  double h_ = 0;
  Contraction start_, corrections_;  // as a factor begins, and on the present one
  KeptFactor factor_;
  std::optional<double> factor_step_;  // none: there is no factor
  bool fresh_ = false;                 // the factor was made in this step
  int passes_ = 0;                     // on different factors in this step
};

}  // namespace stiffly
