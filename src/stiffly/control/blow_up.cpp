#include "stiffly/control/blow_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiffly/control/tuning.hpp"

namespace stiffly {
namespace {

bool smaller(double a, double b) { return std::abs(a) < std::abs(b); }

/// The first unknown whose position or velocity is not finite; the number of unknowns where all are.
std::size_t first_not_finite(const State& state) {
  if (std::isfinite(dot(state.y, state.y))) return state.unknowns();
  const std::vector<double> y = to_host(state.y);
  auto it = std::find_if(y.begin(), y.end(), [](double value) { return !std::isfinite(value); });
  if (it == y.end()) it = std::max_element(y.begin(), y.end(), smaller);  // its square is not
  return static_cast<std::size_t>(it - y.begin()) % state.unknowns();
}

std::size_t fastest(const State& state) {
  const std::vector<double> v = to_host(state.v());
  return static_cast<std::size_t>(std::max_element(v.begin(), v.end(), smaller) - v.begin());
}

std::string message(const State& before, double h, const std::string& what) {
  return fmt::format(
      "the simulation blew up in the step from t = {:.6g} s to {:.6g} s: {}. Try a smaller step than {:.3g} "
      "s, "
      "or an implicit integrator",
      before.time, before.time + h, what, h);
}

}  // namespace

BlowUpWatch::BlowUpWatch(const SecondOrderSystem& system, const State& start, double roundoff)
    : system_(&system),
      closed_(system.passive()),
      initial_(system.energy(start)),
      potential_(system.potential_energy(start.time, start.x())),
      roundoff_(roundoff) {}

double BlowUpWatch::check(const State& before, const State& after, double h, double brought) {
  const std::size_t bad = first_not_finite(after);
  if (bad < after.unknowns())
    throw BlowUp(message(before, h, fmt::format("{} is no longer finite", system_->describe(bad))), before);
  kinetic_ = system_->kinetic_energy(after.v());
  const double energy = kinetic_ + system_->potential_energy(after.time, after.x());
  if (scale_ == 0) scale_ = impulse(before, h);
  // A closed system cannot gain energy. Some times all there was in motion is beyond any integration error
  // one would want to live with.
  const double scale = std::max(scale_, motion(kinetic_, energy));
  if (closed_ && energy - initial_ > tuning::blow_up * scale + roundoff_)
    throw BlowUp(
        message(before, h,
                fmt::format("the energy rose by {:.3g} J, far beyond the {:.3g} J in motion; fastest is {}",
                            energy - initial_, scale, system_->describe(fastest(after)))),
        before);
  if (!closed_) look_at_drives(before, after, energy, h, brought);
  return energy;
}

/// Drives bring in what they do at a power that is known. Energy that grows by a factor several times in
/// turn, by far more than that, is the method's. A support that jumps does so once.
void BlowUpWatch::look_at_drives(const State& before, const State& after, double energy, double h,
                                 double brought) {
  next_look_.reset();
  if (!look_) {
    look_ = {before.time, system_->kinetic_energy(before.v()) + impulse(before, h), system_->energy(before),
             power(before), 0};
  }
  const double kinetic = kinetic_ - std::max(0.0, brought);
  if (kinetic < tuning::driven_growth * std::max(look_->kinetic, rest_)) return;
  const double now = power(after), driven = std::max(look_->power, now) * (after.time - look_->time);
  const double gain = energy - brought - look_->energy;
  // Nothing gained is explained too: a body at rest that nothing drives yet has no energy at all.
  const bool explained = gain <= 0.5 * (kinetic - look_->kinetic) || gain <= tuning::drive_slack * driven;
  const int unexplained = explained ? 0 : look_->unexplained + 1;
  if (unexplained >= tuning::unexplained_growth)
    throw BlowUp(
        message(
            before, h,
            fmt::format("the energy rose by {:.3g} J, of which drives brought in {:.3g} J at most; fastest "
                        "is {}",
                        gain, driven, system_->describe(fastest(after)))),
        before);
  next_look_ = {after.time, kinetic_, energy, now, unexplained};
}

/// W, that may come in. A support that swings takes and brings by turns, so that what it takes at the two
/// ends of a while says as much about the time between as what it brings.
double BlowUpWatch::power(const State& state) const {
  const EnergyFlow flow = system_->energy_flow(state);
  double out = std::abs(flow.supports) + std::abs(flow.fields);
  for (const double taken : flow.dissipated) out += std::max(0.0, -taken);
  return out;
}

std::vector<double> BlowUpWatch::save() const {
  const Look look = look_.value_or(Look{});
  return {scale_,
          look_ ? 1.0 : 0.0,
          look.time,
          look.kinetic,
          look.energy,
          look.power,
          static_cast<double>(look.unexplained),
          rest_};
}

void BlowUpWatch::restore(std::span<const double> memory) {
  scale_ = memory[0];
  look_.reset();
  if (memory[1] != 0)
    look_ = {memory[2], memory[3], memory[4], memory[5], static_cast<int>(std::clamp(memory[6], 0.0, 1e6))};
  rest_ = memory[7];
}

void BlowUpWatch::see(const State& after, double energy) {
  kinetic_ = system_->kinetic_energy(after.v());
  accept(energy);
}

// What was brought at once does not count as growth from the last look on.
void BlowUpWatch::accept(double energy, double brought) {
  scale_ = std::max(scale_, motion(kinetic_, energy));
  if (next_look_) {
    look_ = std::exchange(next_look_, std::nullopt);
  } else if (look_) {
    look_->energy += brought;
    look_->kinetic += std::max(0.0, brought);
  }
}

/// Energy that is in motion or has been moved from one form to another, less what came out of nothing.
double BlowUpWatch::motion(double kinetic, double energy) const {
  return kinetic + std::abs(energy - kinetic - potential_) - 2 * std::max(0.0, energy - initial_);
}

/// ½h²‖M⁻¹f‖²_M: the kinetic energy the present forces give within a step.
double BlowUpWatch::impulse(const State& state, double h) const {
  Vector f(state.unknowns(), state.y.backend()), a(f);
  const Counters before(
      static_cast<const Counters&>(system_->counters()));  // watching is not part of the method's work
  system_->force(state.time, state.x(), state.v(), f);
  system_->counters() = before;
  system_->mass().solve(f, a);
  return 0.5 * h * h * dot(f, a);
}

}  // namespace stiffly
