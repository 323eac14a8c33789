#include "stiffly/work_meter.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"

namespace stiffly {

void WorkMeter::look() const {
  for (const TimeLimit* limit = limit_; limit; limit = limit->around_)
    if (limit->over())
      throw OutOfTime(fmt::format("not finished after {:.3g} s of computing", limit->seconds_));
}

TimeLimit::TimeLimit(WorkMeter& meter, double seconds, std::function<double()> clock)
    : meter_(meter),
      around_(meter.limit_),
      clock_(std::move(clock)),
      end_(clock_() + seconds),
      seconds_(seconds) {
  meter_.limit_ = this;
}

TimeLimit::~TimeLimit() { meter_.limit_ = around_; }

}  // namespace stiffly
