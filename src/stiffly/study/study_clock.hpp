// What runs of a study take.
#pragma once

#include "stiffly/stopwatch.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::study {

/// With one thread the processor's clock, which programs beside this one do not disturb: times of two methods
/// can be compared though the machine was not equally busy. With more, time as it passes.
class StudyClock {
 public:
  double seconds() const {
    return one_thread_ ? processor_seconds() - begin_ - outside_ : passing_.seconds();
  }
  /// Calls `work` without counting the time it takes.
  template <class Work>
  void outside(const Work& work) {
    const double start = processor_seconds();
    passing_.outside(work);
    outside_ += processor_seconds() - start;
  }

 private:
  Stopwatch passing_;
  bool one_thread_ = thread_count() == 1;
  double begin_ = processor_seconds(), outside_ = 0;
};

}  // namespace stiffly::study
