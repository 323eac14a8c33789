#include "stiffly/control/sampler.hpp"

#include <algorithm>

namespace stiffly {
namespace {

constexpr double relative_slack = 1e-9;
/// In the states that are asked for at once: half a gigabyte.
constexpr std::size_t most_numbers = std::size_t{1} << 26;

}  // namespace

SampleTimes SampleTimes::every(double start, double rate) {
  SampleTimes out;
  out.start_ = start;
  out.rate_ = rate;
  out.slack_ = relative_slack / rate;
  return out;
}

SampleTimes SampleTimes::at(double start, std::span<const double> times) {
  SampleTimes out;
  out.list_.assign(times.begin(), times.end());
  if (!times.empty()) out.slack_ = relative_slack * (times.back() - start);
  return out;
}

bool SampleTimes::has(long number) const {
  return rate_ > 0 || static_cast<std::size_t>(number) < list_.size();
}

double SampleTimes::operator[](long number) const {
  return rate_ > 0 ? start_ + static_cast<double>(number) / rate_ : list_[static_cast<std::size_t>(number)];
}

void Sampler::hand_on(State sample) {
  sample.time = times_[next_++];
  sink_(sample);
}

void Sampler::see(const State& state, const StatesWithin& within) {
  const std::size_t at_once = std::max<std::size_t>(1, most_numbers / state.y.size());
  for (;;) {
    std::vector<double> times;
    for (long k = next_; times.size() < at_once && times_.has(k) && times_[k] < state.time - times_.slack();
         ++k)
      times.push_back(times_[k]);
    if (times.empty()) break;
    for (State& sample : within(times)) hand_on(std::move(sample));
  }
  while (times_.has(next_) && times_[next_] <= state.time + times_.slack()) hand_on(state);
}

void Sampler::resume(const State& state) {
  for (next_ = 0; times_.has(next_) && times_[next_] <= state.time + times_.slack();) ++next_;
}

}  // namespace stiffly
