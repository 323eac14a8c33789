// Norms of a batch, lane by lane: how far, how fast, and how wrong.
#pragma once

#include <array>
#include <vector>

#include "stiffly/fibres/batch_workspace.hpp"

namespace stiffly {

/// Of each lane, in the mass norm: velocities at the start of a step, and the positions x + hv they lead to.
struct PathNorms {
  std::vector<double> speed, distance;
};
PathNorms path_norms(const FibreBatch& batch, const double* h);

/// Of each lane, in the mass norm: how wrong a step is, and what MotionScale measures that by.
struct StepNorms {
  std::vector<double> position_error, velocity_error;
  std::vector<double> displacement, speed;
};

/// The estimates of EnergyMomentum at the end of a step.
class BatchEstimate {
 public:
  BatchEstimate(FibreBatch& batch, const BatchWorkspace& workspace);
  /// Of two steps of half the length: a third of what they differ by from the whole one.
  void compare(int lane);
  /// h³/2 times the third divided difference of the positions: those now, and those kept.
  void difference(int lane, double time, double h,
                  const std::array<double, FibreBatch::past_slots>& past_time);
  StepNorms norms() const;

 private:
  std::size_t at(int term, int lane) const {
    return static_cast<std::size_t>(term) * static_cast<std::size_t>(batch_.lanes()) +
           static_cast<std::size_t>(lane);
  }

  FibreBatch& batch_;
  const BatchWorkspace& work_;
  LineVector position_weights_;  ///< of positions now, of the three kept, and of those of the whole step
  LineVector velocity_weights_;  ///< of velocities now and of those of the whole step
};

}  // namespace stiffly
