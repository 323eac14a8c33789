// Seconds of computing.
#pragma once

namespace stiffly {

/// Seconds as they pass, from some moment on.
double passing_seconds();
/// Seconds that the processors have spent on this program so far, whatever else ran beside it.
double processor_seconds();

/// Runs from its making on, by one clock.
class Stopwatch {
 public:
  using Clock = double (*)();
  explicit Stopwatch(Clock read = passing_seconds) : clock_(read), begin_(read()) {}
  double seconds() const { return clock_() - begin_ - outside_; }
  /// Calls `work` without counting the time it takes.
  template <class Work>
  void outside(const Work& work) {
    const double start = clock_();
    work();
    outside_ += clock_() - start;
  }
  Clock clock() const { return clock_; }

 private:
  Clock clock_;
  double begin_, outside_ = 0;
};

}  // namespace stiffly
