// How far a run has come, on standard error.
#pragma once

#include <chrono>

#include "stiffly/control/simulation.hpp"

namespace stiffly::app {

/// A bar on a terminal; elsewhere a line now and then, at most every ten seconds.
class Progress {
 public:
  explicit Progress(double duration);
  void update(const SimulationSummary& summary);
  /// Clears the bar.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  double duration_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point last_ = Clock::now();
  double last_fraction_ = 0;
};

}  // namespace stiffly::app
