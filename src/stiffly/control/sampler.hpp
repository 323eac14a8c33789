// States at given times, whatever the steps are.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// Rising times at which states are wanted: evenly spaced without end, or a list.
class SampleTimes {
 public:
  /// start + k/rate, k = 0, 1, …
  static SampleTimes every(double start, double rate);
  /// A list, which may be empty, for a run from `start` on.
  static SampleTimes at(double start, std::span<const double> times);

  /// Whether there is a time of that number.
  bool has(long number) const;
  double operator[](long number) const;
  /// Times of steps are rounded: a step that ends this close to a sample's time ends there.
  double slack() const { return slack_; }

 private:
  double start_ = 0, rate_ = 0, slack_ = 0;
  std::vector<double> list_;
};

/// States at rising times within the step that has just been made: Stepper::within.
using StatesWithin = std::function<std::vector<State>(std::span<const double> times)>;

/// Hands on the states at the sample times, up to where the run is. A step that ends at a sample's time has
/// its state; those within it are asked for.
class Sampler {
 public:
  using Sink = std::function<void(const State&)>;
  Sampler(SampleTimes times, Sink sink) : times_(std::move(times)), sink_(std::move(sink)) {}

  /// To be called with the first state and after every step; the same state twice does no harm.
  void see(const State& state, const StatesWithin& within);
  /// Goes on from a state whose samples, and all before, were handed on by another sampler.
  void resume(const State& state);
  /// How many samples there were.
  long count() const { return next_; }

 private:
  void hand_on(State sample);

  SampleTimes times_;
  Sink sink_;
  long next_ = 0;
};

}  // namespace stiffly
