#include "stiffly/control/drive_map.hpp"

#include <algorithm>

#include "stiffly/control/drive_limit.hpp"
#include "stiffly/control/tuning.hpp"

namespace stiffly {

DriveMap::DriveMap(const SecondOrderSystem& system, double start, double duration) {
  const DriveLimit drives(system, start, duration);
  if (!drives.driven()) return;
  cut(drives, tuning::jump_step * duration, start, duration);
  begins_.push_back(start + duration);
}

void DriveMap::cut(const DriveLimit& drives, double shortest, double begin, double length) {
  if (length <= shortest || drives.follows(begin, length)) {
    begins_.push_back(begin);
    return;
  }
  cut(drives, shortest, begin, length / 2);
  cut(drives, shortest, begin + length / 2, length / 2);
}

double DriveMap::longest_step(double time, double h) const {
  auto next = std::ranges::upper_bound(begins_, time);
  if (next == begins_.begin()) return h;
  for (; next != begins_.end() && time + h > *(next - 1); ++next) {
    const double begin = *(next - 1), length = *next - begin;
    h = std::min(h, std::max(length, begin - time));
  }
  return h;
}

}  // namespace stiffly
