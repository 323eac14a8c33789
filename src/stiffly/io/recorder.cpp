#include "stiffly/io/recorder.hpp"

#include <cmath>

#include "stiffly/control/dense_output.hpp"

namespace stiffly {
namespace {

constexpr double records_by_default = 1000;
constexpr std::size_t small_system = 32;  // unknowns

}  // namespace

Recorder::Recorder(const SecondOrderSystem& system, const RecorderOptions& options)
    : system_(system),
      options_(options),
      interval_(options.frames > 0 ? 1 / options.frames : options.duration / records_by_default) {}

void Recorder::add(const State& state, const SimulationSummary& summary) {
  const double kinetic = system_.kinetic_energy(state.v());
  energies_.push_back({state.time, kinetic, summary.final_energy - kinetic, summary.final_energy});
  if (state.unknowns() <= small_system) history_.push_back(state);
}

void Recorder::record(const State& state, const SimulationSummary& summary) {
  const double elapsed = state.time - options_.start_time;
  const double slack = 1e-9 * options_.duration;  // times are sums of rounded steps
  const bool last = elapsed >= options_.duration - slack;
  if (last || elapsed >= static_cast<double>(next_) * interval_ - slack) {
    add(state, summary);
    next_ = static_cast<long>(std::floor((elapsed + slack) / interval_)) + 1;
  }
  const double spacing = options_.duration / (options_.moments - 1);
  for (; next_moment_ < options_.moments && elapsed >= next_moment_ * spacing - slack; ++next_moment_)
    moments_.push_back(next_moment_ == 0 || last ? state : interpolate(before_, state, options_.start_time + next_moment_ * spacing));
  before_ = state;
}

void Recorder::finish(const State& state, const SimulationSummary& summary) {
  if (!energies_.empty() && energies_.back().time < state.time) add(state, summary);
  if (!moments_.empty() && moments_.back().time < state.time) moments_.push_back(state);
}

}  // namespace stiffly
