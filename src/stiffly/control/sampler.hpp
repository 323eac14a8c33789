// States at evenly spaced times, whatever the steps are.
#pragma once

#include <functional>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// Hands on the states at t_0 + k/rate, k = 0, 1, …, up to where the run is: within steps by interpolation.
/// Only one state is kept.
class Sampler {
 public:
  using Sink = std::function<void(const State&)>;
  Sampler(double start_time, double rate, Sink sink);

  /// To be called with the first state and after every step; the same state twice does no harm.
  void see(const State& state);
  /// Goes on from a state whose samples, and all before, were handed on by another sampler.
  void resume(const State& state);
  /// How many samples there were.
  long count() const { return next_; }

 private:
  double time(long sample) const { return start_ + static_cast<double>(sample) / rate_; }
  bool due(const State& state) const;

  double start_, rate_;
  Sink sink_;
  long next_ = 0;
  State before_;
};

}  // namespace stiffly
