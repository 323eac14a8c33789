#include "stiffly/results/recorder.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/control/dense_output.hpp"
#include "stiffly/error.hpp"

namespace stiffly {
namespace {

constexpr double records_by_default = 1000;
constexpr std::size_t small_system = 32;  // unknowns

}  // namespace

Recorder::Recorder(const SecondOrderSystem& system, const RecorderOptions& options)
    : system_(system),
      options_(options),
      interval_(options.records > 0 ? 1 / options.records : options.duration / records_by_default) {}

void Recorder::add(const State& state, const SimulationSummary& summary) {
  const double kinetic = system_.kinetic_energy(state.v());
  energies_.push_back({state.time, kinetic, summary.final_energy - kinetic, summary.final_energy});
  work_.push_back({state.time, summary.steps, summary.rejected_steps, summary.counters});
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
    moments_.push_back(next_moment_ == 0 || last
                           ? state
                           : interpolate(before_, state, options_.start_time + next_moment_ * spacing));
  before_ = state;
}

void Recorder::finish(const State& state, const SimulationSummary& summary) {
  if (!energies_.empty() && energies_.back().time < state.time) add(state, summary);
  if (!moments_.empty() && moments_.back().time < state.time) moments_.push_back(state);
}

std::vector<double> Recorder::save() const {
  std::vector<double> out = {static_cast<double>(next_), static_cast<double>(next_moment_),
                             static_cast<double>(energies_.size())};
  for (const EnergySample& e : energies_) out.insert(out.end(), {e.time, e.kinetic, e.potential, e.total});
  const auto count = [](auto n) { return static_cast<double>(n); };  // exact below 2^53
  for (const auto& [time, steps, rejected, c] : work_)
    out.insert(out.end(), {time, count(steps), count(rejected), count(c.force), count(c.product),
                           count(c.tangent), count(c.factorization), count(c.solve), count(c.inner)});
  const std::vector<State> last = {before_};
  for (const auto* states : {&last, &moments_, &history_}) {
    out.push_back(static_cast<double>(states->size()));
    for (const State& state : *states) {
      const std::vector<double> y = to_host(state.y);
      out.push_back(static_cast<double>(y.size()));
      out.push_back(state.time);
      out.insert(out.end(), y.begin(), y.end());
    }
  }
  return out;
}

void Recorder::restore(std::span<const double> numbers) {
  const auto take = [&](std::size_t count) {
    if (count > numbers.size()) throw InputError("the record in the checkpoint is damaged");
    const auto part = numbers.first(count);
    numbers = numbers.subspan(count);
    return part;
  };
  const auto size = [&] { return static_cast<std::size_t>(std::clamp(take(1)[0], 0.0, 1e12)); };
  next_ = static_cast<long>(size());
  next_moment_ = static_cast<int>(size());
  energies_.clear();
  work_.clear();
  const std::size_t records = size();
  for (std::size_t i = 0; i < records; ++i) {
    const auto e = take(4);
    energies_.push_back({e[0], e[1], e[2], e[3]});
  }
  for (std::size_t i = 0; i < records; ++i) {
    const auto w = take(9);
    const auto whole = [&](std::size_t k) { return static_cast<std::int64_t>(w[k]); };
    work_.push_back({w[0], whole(1), whole(2), {whole(3), whole(4), whole(5), whole(6), whole(7), whole(8)}});
  }
  std::vector<State> last;
  for (auto* states : {&last, &moments_, &history_}) {
    states->clear();
    for (std::size_t count = size(); count > 0; --count) {
      const std::size_t entries = size();
      const double time = take(1)[0];
      states->emplace_back(time, Vector(take(entries)));
    }
  }
  if (last.size() != 1) throw InputError("the record in the checkpoint is damaged");
  before_ = std::move(last[0]);
}

}  // namespace stiffly
