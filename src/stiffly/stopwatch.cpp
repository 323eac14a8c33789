#include "stiffly/stopwatch.hpp"

#include <ctime>

namespace stiffly {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double passing_seconds() { return seconds_of(CLOCK_MONOTONIC); }
double processor_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace stiffly
