#include "stiffly/results/frame_check.hpp"

#include <algorithm>

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
    Vector rate_before(2 * n, state.y.backend()), rate_after(rate_before), miss(state.v());
    system_.rate(last_, rate_before);
    system_.rate(state, rate_after);
    system_.counters() = before;
    const double h = state.time - last_.time;
    axpy(-1.0, last_.v(), miss);
    axpy(-0.5 * h, rate_before.part(n, n), miss);
    axpy(-0.5 * h, rate_after.part(n, n), miss);
    interpolated_ += static_cast<long>(frames);
    if (mass_norm(miss) > speed_) unresolved_ += static_cast<long>(frames);
  }
  last_ = state;
}

}  // namespace stiffly
