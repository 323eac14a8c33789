// What runs of a study take.
#pragma once

#include "stiffly/stopwatch.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::study {

/// With one thread the processor's clock, which programs beside this one do not disturb: times of two methods
/// can be compared though the machine was not equally busy. With more, time as it passes.
inline Stopwatch study_watch() {
  return Stopwatch(thread_count() == 1 ? processor_seconds : passing_seconds);
}

}  // namespace stiffly::study
