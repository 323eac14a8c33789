// Seconds of computing.
#pragma once

#include <chrono>

namespace stiffly {

/// Runs from its making on.
class Stopwatch {
 public:
  double seconds() const { return since(begin_) - paused_; }
  /// Calls `work` without counting the time it takes.
  template <class Work>
  void outside(const Work& work) {
    const auto start = Clock::now();
    work();
    paused_ += since(start);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  Clock::time_point begin_ = Clock::now();
  double paused_ = 0;
};

/// Seconds that the processors have spent on this program so far, whatever else ran beside it.
double processor_seconds();

}  // namespace stiffly
