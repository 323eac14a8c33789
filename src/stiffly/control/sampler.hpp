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

/// The state at a time within the step from `before` to `after`.
using Between = std::function<State(const State& before, const State& after, double time)>;

/// Hands on the states at the sample times, up to where the run is. Of the run itself only the last state is
/// kept.
///
/// A step that ends at a sample's time has its state. For the times within a step a method that knows better
/// is asked beforehand and hands its states over; for one that does not, `between` makes them of the ends:
///
///   const std::vector<double> times = sampler.wanted(state.time + h);
///   …                                        // a step with states at these times, made again if rejected
///   sampler.see(next, states_at_times);      // or sampler.see(next)
class Sampler {
 public:
  using Sink = std::function<void(const State&)>;
  /// Without `between`: `interpolate`.
  Sampler(SampleTimes times, Sink sink, Between between = {});

  /// The times that a step from the last state to `end` has within it: after the state's time, before `end`.
  std::vector<double> wanted(double end) const;
  /// To be called with the first state and after every step, with the states at the wanted times where the
  /// step had them; the same state twice does no harm.
  void see(const State& state, std::span<const State> within = {});
  /// Goes on from a state whose samples, and all before, were handed on by another sampler.
  void resume(const State& state);
  /// How many samples there were.
  long count() const { return next_; }

 private:
  SampleTimes times_;
  Sink sink_;
  Between between_;
  long next_ = 0;
  State last_;
};

}  // namespace stiffly
