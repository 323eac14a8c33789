// Counts work, and ends it when its time is over.
#pragma once

#include <functional>

#include "stiffly/counters.hpp"

namespace stiffly {

class TimeLimit;

/// The work of a system. Whoever may work for long looks here from time to time.
class WorkMeter : public Counters {
 public:
  WorkMeter& operator=(const Counters& counters) {
    Counters::operator=(counters);
    return *this;
  }
  /// Throws OutOfTime where the time of a limit is over.
  void look() const;
  /// The same for work of moments, by its count: the clock is not asked every time.
  void look(std::int64_t count) const {
    constexpr std::int64_t often = 16;
    if (limit_ && count % often == 0) look();
  }

 private:
  friend class TimeLimit;
  const TimeLimit* limit_ = nullptr;
};

/// While it lives, work beyond so many seconds ends in OutOfTime, in the middle of a step or a solve. Limits
/// may lie within each other; the last one made ends first.
class TimeLimit {
 public:
  /// `clock` gives seconds since some moment.
  TimeLimit(WorkMeter& meter, double seconds, std::function<double()> clock);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  friend class WorkMeter;
  bool over() const { return clock_() >= end_; }

  WorkMeter& meter_;
  const TimeLimit* around_;
  std::function<double()> clock_;
  double end_, seconds_;
};

}  // namespace stiffly
