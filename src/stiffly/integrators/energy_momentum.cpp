#include "stiffly/integrators/energy_momentum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/integrators/same_state.hpp"

namespace stiffly {
namespace {

constexpr int most_halvings = 12;

}  // namespace

EnergyMomentum::Variant EnergyMomentum::conserving() {
  return {{.name = "energy-momentum",
           .family = "energy-momentum",
           .order = 2,
           .embedded_order = 3,
           .summary = "keeps energy and momenta; strains as unknowns, one factor for many steps",
           .reference = "Simo & Tarnow 1992; Gonzalez 1996",
           .implicit = true,
           .keeps_factor = true,
           .a_stable = true,
           .symplectic = true},
          {}};
}

EnergyMomentum::Variant EnergyMomentum::damped() {
  IntegratorTraits traits = conserving().traits;
  traits.name = "energy-momentum-damped";
  traits.order = 1;
  traits.summary = "the same with θ = 0.6: damps strains that are not resolved, keeps momenta";
  traits.symplectic = false;
  return {traits, {.theta = 0.6}};
}

EnergyMomentum::Variant EnergyMomentum::fourth_order() {
  IntegratorTraits traits = conserving().traits;
  traits.name = "energy-momentum-4";
  traits.order = 4;
  traits.embedded_order = {};
  traits.summary = "five steps of energy-momentum, one of them back in time: order 4";
  traits.reference = "Suzuki 1990";
  traits.a_stable = false;  // damping is undone on the way back, and has a pole there
  const double p = 1 / (4 - std::cbrt(4.0));
  return {traits, {.parts = {p, p, 1 - 4 * p, p, p}}};
}

EnergyMomentum::EnergyMomentum(const IntegratorTraits& traits, const Parameters& parameters,
                               const IntegratorOptions& options)
    : traits_(traits), parameters_(parameters), tolerance_(options.newton_tolerance) {
  if (!(std::isfinite(tolerance_) && tolerance_ > 0))
    throw InputError(fmt::format("the Newton tolerance must be positive and finite, not {}", tolerance_));
  for (const double part : parameters.parts)
    if (std::find(lengths_.begin(), lengths_.end(), part) == lengths_.end()) {
      lengths_.push_back(part);
      iterations_.emplace_back(options);
    }
}

void EnergyMomentum::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  for (MixedIteration& iteration : iterations_) iteration.start(system, state.y.backend());
  past_.clear();
  foreseen_ = 0;
}

EnergyMomentum::Moment EnergyMomentum::recall(const State& from, double h) {
  const auto same = [&](const Moment& m) { return is_same_state(m.state, from, h); };
  const auto found = std::find_if(past_.begin(), past_.end(), same);
  past_.erase(past_.begin(), found);  // steps that are made again
  if (past_.empty()) {
    past_.push_front({from, {}, Vector(from.unknowns(), from.y.backend())});
    iterations_.front().measure(from.time, from.x(), from.v(), past_.front().strain);
  }
  past_.front().state.time = from.time;
  return past_.front();
}

void EnergyMomentum::remember(Moment moment) {
  past_.push_front(std::move(moment));
  if (past_.size() > 4) past_.pop_back();
}

// With the acceleration z: v⁺ = v + hz, x⁺ = x + hv + h²z/2, mean velocity v + hz/2. The last z is the guess.
EnergyMomentum::Moment EnergyMomentum::advance(MixedIteration& iteration, const Moment& from, double h,
                                               int halvings) {
  if (halvings < foreseen_) return advance_by_halves(iteration, from, h, halvings);
  const State& y = from.state;
  Stage stage{.t = y.time + h, .p = Vector(y.x()), .q = Vector(y.v()), .b = h * h / 2, .c = h / 2};
  axpy(h, y.v(), stage.p);
  Moment to = from;
  const ForcePath path{
      .start_time = y.time, .start_x = y.x(), .start_strain = from.strain, .theta = parameters_.theta};
  if (!iteration.solve(stage, path, tolerance_, to.acceleration, to.strain)) {
    if (halvings == most_halvings)
      throw SimulationError(fmt::format(
          "the energy-momentum step did not converge at t = {:.6g} s, not even with steps of {:.1e} s",
          y.time, h));
    return advance_by_halves(iteration, from, h, halvings);
  }
  deepest_ = std::max(deepest_, halvings);
  to.state.time = stage.t;
  stage.place(to.acceleration, to.state.x(), to.state.v());
  axpy(h / 2, to.acceleration, to.state.v());
  return to;
}

EnergyMomentum::Moment EnergyMomentum::advance_by_halves(MixedIteration& iteration, const Moment& from,
                                                         double h, int halvings) {
  substeps_ += halvings == 0 ? 1 : 2;
  return advance(iteration, advance(iteration, from, h / 2, halvings + 1), h / 2, halvings + 1);
}

EnergyMomentum::Moment EnergyMomentum::compose(const Moment& from, double h) {
  Moment at = from;
  for (const double part : parameters_.parts) {
    const auto length = std::find(lengths_.begin(), lengths_.end(), part) - lengths_.begin();
    at = advance(iterations_[static_cast<std::size_t>(length)], at, part * h, 0);
  }
  return at;
}

Step EnergyMomentum::step(const State& from, double h, bool want_error) {
  const Moment begin = recall(from, h);
  Moment end;
  std::optional<Vector> error;
  if (want_error && past_.size() < 3) {
    const Moment whole = compose(begin, h);
    Moment half = compose(begin, h / 2);
    end = compose(half, h / 2);
    error = end.state.y;
    axpy(-1.0, whole.state.y, *error);
    scale(1 / (std::exp2(traits_.order) - 1), *error);
    remember(std::move(half));
  } else {
    end = compose(begin, h);
    if (want_error) error = third_difference(end.state, h);
  }
  foreseen_ = std::max(0, deepest_ - 1);
  deepest_ = 0;
  end.state.time = from.time + h;
  Step result{end.state, std::move(error), {}};
  remember(std::move(end));
  return result;
}

// x[t₋₂, t₋₁, t₀, t₁] = Σ x_i / Π_{j≠i} (t_i − t_j)
Vector EnergyMomentum::third_difference(const State& now, double h) const {
  const State* states[] = {&now, &past_[0].state, &past_[1].state, &past_[2].state};
  Vector out(now.y.size(), now.y.backend());
  const VectorView x = out.part(0, now.unknowns());
  for (const State* at : states) {
    double weight = h * h * h / 2;
    for (const State* other : states)
      if (other != at) weight /= at->time - other->time;
    axpy(weight, at->x(), x);
  }
  return out;
}

IntegratorMemory EnergyMomentum::save() {
  foreseen_ = 0;
  IntegratorMemory memory;
  for (MixedIteration& iteration : iterations_) iteration.save(memory);
  for (const Moment& m : past_) {
    memory.numbers.push_back(m.state.time);
    memory.vectors.push_back(m.state.y);
    memory.vectors.push_back(m.acceleration);
    if (!m.strain.empty()) memory.vectors.push_back(Vector(m.strain));
  }
  return memory;
}

void EnergyMomentum::restore(const IntegratorMemory& memory) {
  MemoryReader reader(memory, *system_);
  for (MixedIteration& iteration : iterations_) iteration.restore(reader);
  past_.clear();
  while (reader.numbers_left() > 0) {
    const double after = past_.empty() ? std::numeric_limits<double>::infinity() : past_.back().state.time;
    Moment m{reader.state_before(after), {}, reader.vector()};
    const std::size_t strains = iterations_.front().strains();
    if (strains > 0) m.strain = to_host(reader.vector(strains));
    past_.push_back(std::move(m));
  }
  reader.finish();
}

}  // namespace stiffly
