#include "stiffly/control/sampler.hpp"

#include "stiffly/control/dense_output.hpp"
#include "stiffly/error.hpp"

namespace stiffly {
namespace {

constexpr double relative_slack = 1e-9;

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

Sampler::Sampler(SampleTimes times, Sink sink, Between between)
    : times_(std::move(times)),
      sink_(std::move(sink)),
      between_(between ? std::move(between) : Between(interpolate)) {}

std::vector<double> Sampler::wanted(double end) const {
  std::vector<double> out;
  for (long k = next_; times_.has(k) && times_[k] < end - times_.slack(); ++k) out.push_back(times_[k]);
  return out;
}

void Sampler::see(const State& state, std::span<const State> within) {
  const std::size_t inside = last_.y.empty() ? 0 : wanted(state.time).size();
  if (!within.empty() && within.size() != inside)
    throw InputError("a step must have states at all the times that are wanted within it");
  for (std::size_t i = 0; times_.has(next_) && times_[next_] <= state.time + times_.slack(); ++next_, ++i) {
    State sample = i >= inside ? state : within.empty() ? between_(last_, state, times_[next_]) : within[i];
    sample.time = times_[next_];
    sink_(sample);
  }
  last_ = state;
}

void Sampler::resume(const State& state) {
  for (next_ = 0; times_.has(next_) && times_[next_] <= state.time + times_.slack();) ++next_;
  last_ = state;
}

}  // namespace stiffly
