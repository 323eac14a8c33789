#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace stiffly::app {
namespace {

std::string bar(double fraction) {
  constexpr int width = 30;
  const int full = static_cast<int>(fraction * width);
  std::string out;
  for (int i = 0; i < width; ++i) out += i < full ? "━" : "─";
  return out;
}

std::string remaining(double fraction, double wall) {
  if (fraction < 0.01) return "";
  const auto seconds = static_cast<long>(wall * (1 - fraction) / fraction + 0.5);
  if (seconds < 120) return fmt::format("{} s left", seconds);
  return seconds < 7200 ? fmt::format("{} min left", seconds / 60)
                        : fmt::format("{:.1f} h left", static_cast<double>(seconds) / 3600);
}

}  // namespace

Progress::Progress(double duration) : duration_(duration), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::update(const SimulationSummary& summary) {
  const double seconds = std::chrono::duration<double>(Clock::now() - last_).count();
  const double fraction = std::min(1.0, summary.simulated_seconds / duration_);
  const bool due =
      terminal_ ? seconds > 0.1 : seconds >= 10 && (fraction - last_fraction_ >= 0.1 || seconds >= 60);
  if (!due) return;
  last_ = Clock::now();
  last_fraction_ = fraction;
  shown_ = true;
  const std::string text = fmt::format("{:3.0f} %  t = {:.4g} s of {:.4g} s, {} steps  {}", 100 * fraction,
                                       summary.simulated_seconds, duration_, summary.steps,
                                       remaining(fraction, summary.wall_seconds));
  if (terminal_)
    fmt::print(stderr, "\r\033[K{} {}", bar(fraction), text);
  else
    fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
}

void Progress::finish() {
  if (terminal_ && shown_) fmt::print(stderr, "\r\033[K");
}

}  // namespace stiffly::app
