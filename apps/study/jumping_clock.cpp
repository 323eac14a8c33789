#include "jumping_clock.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <ctime>

namespace stiffly::app {
namespace {

std::atomic<bool> jumping = false;

std::time_t jump() {
  static std::atomic<unsigned> looks = 0;
  constexpr std::array<std::time_t, 7> seconds = {0, 7300, -7300, 31, -34560000, 86400, -11};
  return jumping ? seconds[looks++ % seconds.size()] : 0;
}

}  // namespace

void let_clocks_jump() { jumping = true; }

}  // namespace stiffly::app

// In place of the C library's, for all of this program and the libraries it uses.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0) time->tv_sec += stiffly::app::jump();
  return static_cast<int>(result);
}
