#include "stiffly/results/frame_check.hpp"

#include <algorithm>
#include <numbers>

namespace stiffly {

double FrameCheck::mass_norm(ConstVectorView x) const {
  Vector work(x.size(), x.backend());
  return system_.mass().norm(x, work);
}

void FrameCheck::see(const State& state, std::size_t frames) {
  if (frames > 0 && !last_.y.empty()) {
    speed_ = std::max({speed_, mass_norm(last_.v()), mass_norm(state.v())});
    const std::size_t n = state.unknowns();
    const Counters before = system_.counters();  // watching is not part of the method's work
    Vector rate(2 * n, state.y.backend());
    double acceleration = 0;
    for (const State* end : {static_cast<const State*>(&last_), &state}) {
      system_.rate(*end, rate);
      acceleration = std::max(acceleration, mass_norm(rate.part(n, n)));
    }
    system_.counters() = before;
    const double h = state.time - last_.time;
    interpolated_ += static_cast<long>(frames);
    if (h * acceleration > std::numbers::pi * speed_) unresolved_ += static_cast<long>(frames);
  }
  last_ = state;
}

}  // namespace stiffly
