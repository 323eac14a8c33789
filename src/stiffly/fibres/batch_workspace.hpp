// Memory for the steps of a batch.
#pragma once

#include <memory>

#include "stiffly/fibres/batch.hpp"

namespace stiffly {

struct ExponentialWorkspace;

/// What an iteration needs beside the fibres: the factor is most of it. One per thread is enough.
class BatchWorkspace {
 public:
  BatchWorkspace(int lanes, int sections);
  ~BatchWorkspace();
  /// The arrays of the batch and of the workspace.
  BatchView view(const FibreBatch& batch) const;

  /// Where a step began: velocities, accelerations, elongations; and what one step came to that is compared
  /// with two of half its length.
  double *begin_v, *begin_acceleration, *begin_strain, *whole_x, *whole_v;
  static std::size_t memory(int lanes, int sections);
  /// What exponential steps need besides; made when it is asked for. `parts` as PhiWorkspace has it.
  ExponentialWorkspace& exponential(int parts);

 private:
  int lanes_, sections_;
  LineVector memory_;
  BatchView arrays_;
  std::unique_ptr<ExponentialWorkspace> exponential_;
};

}  // namespace stiffly
