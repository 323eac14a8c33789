#include "stiffly/integrators/bdf.hpp"

#include <fmt/format.h>

#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/integrators/same_state.hpp"
#include "stiffly/integrators/step_doubling.hpp"
#include "stiffly/limits.hpp"

namespace stiffly {
namespace {

/// Weights with which the values at `times` give the derivative at `t`, times[0] = t being one of them.
std::vector<double> derivative_weights(const std::vector<double>& times) {
  const std::size_t n = times.size();
  std::vector<double> weights(n, 0.0);
  for (std::size_t i = 1; i < n; ++i) {
    double w = 1 / (times[i] - times[0]);
    for (std::size_t j = 1; j < n; ++j)
      if (j != i) w *= (times[0] - times[j]) / (times[i] - times[j]);
    weights[i] = w;
    weights[0] -= w;
  }
  return weights;
}

/// Weights with which the values at `times` give the polynomial's value at t.
std::vector<double> extrapolation_weights(double t, const std::vector<double>& times) {
  std::vector<double> weights(times.size(), 1.0);
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t j = 0; j < times.size(); ++j)
      if (j != i) weights[i] *= (t - times[j]) / (times[i] - times[j]);
  return weights;
}

const ButcherTableau& starter() {
  for (const ButcherTableau& tableau : dirk_tableaus())
    if (tableau.traits.name == "sdirk-nc34") return tableau;
  throw InputError("the starting method sdirk-nc34 is missing");
}

}  // namespace

IntegratorTraits Bdf::traits_of(int k) {
  return {.name = fmt::format("bdf{}", k),
          .family = "BDF",
          .order = k,
          .embedded_order = k + 1,
          .summary = k == 2 ? "two past states, damps what it does not resolve"
                            : fmt::format("{} past states; not stable for undamped motion at every step", k),
          .reference = "Gear 1971; Hairer & Wanner 1996",
          .implicit = true,
          .multistep = true,
          .step_growth = k <= 3 ? 1.5 : 1.15,  // polynomials through past states do not bear sudden changes
          .a_stable = k == 2,
          .l_stable = k == 2};
}

Bdf::Bdf(int k, const IntegratorOptions& options)
    : k_(k), traits_(traits_of(k)), solver_(options), starter_(starter(), options) {}

void Bdf::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  solver_.start(system, state);
  starter_.start(system, state);
  history_.clear();
  last_ = state;
  guess_ = Vector(state.unknowns(), state.y.backend());
}

Step Bdf::one_step(const State& from, double h) {
  Step result = doubled_step(starter_, from, h);
  axpy(1.0, *result.error, result.state.y);
  return result;
}

void Bdf::go_on_from(const State& from, double h) {
  if (!history_.empty() && is_same_state(history_.front(), from, h)) {  // the last step is made again
    history_.pop_front();
  } else if (!is_same_state(last_, from, h)) {  // an earlier one is, or the state is a new one
    while (!history_.empty() && !is_same_state(history_.front(), from, h)) history_.pop_front();
    if (!history_.empty()) history_.pop_front();
  }
  history_.push_front(from);
  if (history_.size() > static_cast<std::size_t>(k_) + 1) history_.pop_back();
}

Step Bdf::step(const State& from, double h, bool want_error) {
  go_on_from(from, h);
  const bool enough = !starting();
  Step result = enough ? multistep(from, h, want_error) : one_step(from, h);
  last_ = result.state;
  return result;
}

Step Bdf::multistep(const State& from, double h, bool want_error) {
  const double t = from.time + h;
  std::vector<double> times = {t};
  for (const State& state : history_) times.push_back(state.time);
  const std::vector<double> w = derivative_weights({times.begin(), times.begin() + k_ + 1});
  Vector base(from.y.size(), from.y.backend());
  for (std::size_t i = 0; i + 1 < w.size(); ++i) axpy(-w[i + 1] / w[0], history_[i].y, base);
  const std::size_t n = from.unknowns();
  const Stage stage = Stage::first_order(t, base.part(0, n), base.part(n, n), 1 / w[0]);
  solver_.solve(stage, guess_);
  Step result{State(t, from.y), {}, {}};
  stage.place(guess_, result.state.x(), result.state.v());
  if (want_error) {
    const std::vector<double> past(times.begin() + 1, times.end()),
        extrapolation = extrapolation_weights(t, past);
    result.error = result.state.y;
    for (std::size_t i = 0; i < past.size(); ++i) axpy(-extrapolation[i], history_[i].y, *result.error);
    scale(h / (t - past.back()), *result.error);
  }
  return result;
}

IntegratorMemory Bdf::save() {
  IntegratorMemory memory{.numbers = {static_cast<double>(history_.size())}, .vectors = {}};
  for (const State& state : history_) {
    memory.numbers.push_back(state.time);
    memory.vectors.push_back(state.y);
  }
  memory.vectors.push_back(guess_);
  solver_.save(memory);
  if (starting()) {
    const IntegratorMemory of_starter = starter_.save();
    memory.numbers.insert(memory.numbers.end(), of_starter.numbers.begin(), of_starter.numbers.end());
    memory.vectors.insert(memory.vectors.end(), of_starter.vectors.begin(), of_starter.vectors.end());
  }
  return memory;
}

void Bdf::restore(const IntegratorMemory& memory) {
  MemoryReader reader(memory, *system_);
  const auto past = static_cast<std::size_t>(reader.number(0, k_ + 1));
  history_.clear();
  while (history_.size() < past)
    history_.push_back(reader.state_before(history_.empty() ? infinite : history_.back().time));
  guess_ = reader.vector();
  solver_.restore(reader);
  if (starting()) starter_.restore(reader);
  reader.finish();
}

}  // namespace stiffly
