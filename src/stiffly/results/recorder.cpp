#include "stiffly/results/recorder.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/results/contact_time.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

constexpr double records_by_default = 1000;

constexpr int snapshots = 6;

}  // namespace

std::vector<double> Recorder::snapshot_times(double start, double duration) {
  std::vector<double> out;
  for (int k = 0; k < snapshots; ++k) out.push_back(start + k * (duration / (snapshots - 1)));
  return out;
}

double Record::max_kinetic_energy() const {
  double out = 0;
  for (const EnergySample& e : energies) out = std::max(out, e.kinetic);
  return out;
}

Recorder::Recorder(const SecondOrderSystem& system, const RecorderOptions& options)
    : system_(system),
      options_(options),
      books_(system),
      interval_(options.records > 0 ? 1 / options.records : options.duration / records_by_default),
      snapshots_(SampleTimes::at(options.start_time, snapshot_times(options.start_time, options.duration)),
                 [this](const State& state) { add_snapshot(state); }) {
  record_.books_kept = options.books;
  record_.totals = books_.totals();
}

void Recorder::keep_books(const State& state, const SimulationSummary& summary, bool vibrations) {
  if (options_.books && !summary.energy_totals) books_.see(state, vibrations);
  if (options_.books) record_.totals = summary.energy_totals ? *summary.energy_totals : books_.totals();
  if (summary.projection) record_.totals.contact = summary.projection->taken;
}

void Recorder::add_weight_and_momentum(const State& state, EnergySample& e) const {
  e.weight = system_.field_energy(state.time, state.x());
  if (const auto* particles = dynamic_cast<const ParticleSystem*>(&system_)) {
    const Momentum momentum = particles->momentum(state);
    Eigen::Vector3d::Map(e.linear_momentum.data()) = momentum.linear;
    Eigen::Vector3d::Map(e.angular_momentum.data()) = momentum.angular;
  }
}

void Recorder::add_snapshot(const State& state) {
  record_.snapshots.push_back(state);
  if (options_.contact_time) record_.contact_times.push_back(options_.contact_time->at(state.time));
}

void Recorder::add(const State& state, const SimulationSummary& summary) {
  const double kinetic = system_.kinetic_energy(state.v());
  EnergySample e{state.time, kinetic, summary.final_energy - kinetic, summary.final_energy};
  e.supports = record_.totals.supports;
  e.fields = record_.totals.fields;
  e.dissipated = record_.totals.all_dissipated();
  if (options_.books || record_.energies.empty()) add_weight_and_momentum(state, e);
  record_.energies.push_back(e);
  record_.work.push_back({state.time, summary.steps, summary.rejected_steps, summary.counters});
  if (state.unknowns() <= small_system) record_.states.push_back(state);
}

void Recorder::see(const State& state, const SimulationSummary& summary, const StatesWithin& within,
                   bool vibrations) {
  if (options_.books)
    snapshots_.see(state, within);
  else  // nobody looks at them: the ends of steps will do, which cost nothing
    snapshots_.see(state, [&](std::span<const double> times) { return std::vector(times.size(), state); });
  keep_books(state, summary, vibrations);
  const double elapsed = state.time - options_.start_time;
  if (!record_.energies.empty()) {
    const double recorded = record_.energies.back().time;
    if (recorded == state.time) return;
    // The record that is due is the first multiple of the interval after the last one.
    const double due = (std::floor((recorded - options_.start_time + slack()) / interval_) + 1) * interval_;
    const bool at_end = elapsed >= options_.duration - slack();
    if (!at_end && elapsed < due - slack()) return;
  }
  add(state, summary);
}

void Recorder::finish(const State& state, const SimulationSummary& summary) {
  keep_books(state, summary);
  if (record_.energies.empty() || record_.energies.back().time < state.time) add(state, summary);
  add_weight_and_momentum(state, record_.energies.back());
  if (record_.snapshots.empty() || record_.snapshots.back().time < state.time - slack()) add_snapshot(state);
}

void Recorder::resume(Record record, const State& state) {
  record_ = std::move(record);
  record_.books_kept = options_.books;
  snapshots_.resume(state);
  if (options_.books) books_.resume(record_.totals, state);
}

}  // namespace stiffly
