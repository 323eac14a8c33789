#include "stiffly/control/sampler.hpp"

#include "stiffly/control/dense_output.hpp"

namespace stiffly {

Sampler::Sampler(double start_time, double rate, Sink sink)
    : start_(start_time), rate_(rate), sink_(std::move(sink)) {}

bool Sampler::due(const State& state) const {
  const double slack = 1e-9 / rate_;  // times of steps are rounded: one that ends at a sample's time has it
  return time(next_) <= state.time + slack;
}

void Sampler::see(const State& state) {
  for (; due(state); ++next_) {
    State sample = before_.y.empty() ? state : interpolate(before_, state, time(next_));
    sample.time = time(next_);
    sink_(sample);
  }
  before_ = state;
}

void Sampler::resume(const State& state) {
  for (next_ = 0; due(state);) ++next_;
  before_ = state;
}

}  // namespace stiffly
