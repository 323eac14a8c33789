#include "peers/peer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiffly::study {
namespace {

ConstVectorView view(const double* data, std::size_t n) { return {host_backend(), data, n}; }
VectorView view(double* data, std::size_t n) { return {host_backend(), data, n}; }

bool finite(const double* values, std::size_t n) {
  return std::all_of(values, values + n, [](double value) { return std::isfinite(value); });
}

void check(const SecondOrderSystem& system, const State& start, std::span<const double> moments, Knob knob,
           double setting) {
  if (!(std::isfinite(setting) && setting > 0))
    throw InputError(fmt::format("the {} must be positive and finite, not {}",
                                 knob == Knob::step ? "step" : "tolerance", setting));
  if (start.unknowns() != system.unknowns())
    throw InputError(
        fmt::format("the state has {} unknowns, the system {}", start.unknowns(), system.unknowns()));
  double last = start.time;
  for (const double moment : moments) {
    if (!(moment > last && std::isfinite(moment)))
      throw InputError(
          fmt::format("moments must rise from the start's time: {} comes after {}", moment, last));
    last = moment;
  }
}

}  // namespace

PeerRun::PeerRun(const SecondOrderSystem& system, const State& start, std::span<const double> moments,
                 double time_limit)
    : system_(system),
      start_(start),
      moments_(moments),
      time_limit_(time_limit),
      initial_energy_(system.energy(start)),
      last_time_(start.time) {}

void PeerRun::look_at_clock() const {
  if (clock_.seconds() > time_limit_) throw OutOfTime{};
}

void PeerRun::look_at_progress(double time) {
  if (!(time - last_time_ >
        4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time), duration())))
    throw SimulationError(fmt::format("the steps became too short to go on at t = {:.6g} s", time));
  last_time_ = time;
}

bool PeerRun::force(double t, const double* x, const double* v, double* f) {
  constexpr int patience = 200;
  look_at_clock();
  const std::size_t n = unknowns();
  system_.force(t, view(x, n), view(v, n), view(f, n));
  if (finite(f, n)) {
    not_finite_ = 0;
    return true;
  }
  if (++not_finite_ > patience)
    throw SimulationError(fmt::format("forces are not finite at t = {:.6g} s, however short the step", t));
  return false;
}

bool PeerRun::rate(double t, const double* y, double* out) {
  const std::size_t n = unknowns();
  std::copy(y + n, y + 2 * n, out);
  const bool good = force(t, y, y + n, out + n);
  system_.mass().solve(view(out + n, n), view(out + n, n));
  return good;
}

const Tangent& PeerRun::tangent(double t, const double* x, const double* v) {
  look_at_clock();
  system_.tangent(t, view(x, unknowns()), view(v, unknowns()), tangent_);
  return tangent_;
}

void PeerRun::record(const double* y) {
  const std::size_t n = unknowns();
  if (!finite(y, 2 * n))
    throw SimulationError(fmt::format("the state at t = {:.6g} s is not finite", next_moment()));
  State state(next_moment(), Vector(std::span(y, 2 * n)));
  result_.max_energy_drift =
      std::max(result_.max_energy_drift, std::abs(system_.energy(state) - initial_energy_));
  result_.simulated_seconds = state.time - start_.time;
  result_.states.push_back(std::move(state));
}

Trajectory Peer::run(const SecondOrderSystem& system, const State& start, std::span<const double> moments,
                     double setting, double time_limit) {
  const Counters before = system.counters();
  Trajectory failed;
  try {
    check(system, start, moments, knob_, setting);
    PeerRun run(system, start, moments, time_limit);
    Trajectory& result = run.result();
    try {
      integrate(run, setting);
    } catch (const PeerRun::OutOfTime&) {
      result.failure = fmt::format("not finished after {:.3g} s of computing", time_limit);
      result.out_of_time = true;
    } catch (const std::exception& error) {
      result.failure = error.what();
    }
    result.seconds = run.clock_.seconds();
    result.work = result.work + (system.counters() - before);
    return std::move(result);
  } catch (const std::exception& error) {
    failed.failure = error.what();
  }
  return failed;
}

MotionTolerance::MotionTolerance(const PeerRun& run, double tolerance)
    : scale_(run.system(), run.start()),
      tolerance_(tolerance),
      first_step_(scale_.first_step(tolerance, run.duration())),
      seen_(run.start()) {
  const MassMatrix& mass = run.system().mass();
  Vector ones(run.unknowns()), work(run.unknowns());
  fill(1.0, ones);
  root_mass_ = mass.norm(ones, work);
  roundoff_ = 16 * std::numeric_limits<double>::epsilon() * mass.norm(run.start().x(), work) / root_mass_;
  update();
}

void MotionTolerance::see(double time, const double* y) {
  seen_.time = time;
  copy(view(y, seen_.y.size()), seen_.y);
  scale_.see(seen_);
  update();
}

void MotionTolerance::update() {
  // A body that does not move has velocities all the same, of the round-off of its positions: no scale for
  // errors.
  const double noise = roundoff_ / first_step_, speed = scale_.speed() / root_mass_;
  const auto or_one = [](double value) {
    return value > 0 ? value : 1.0;
  };  // nothing to go by: anything will do
  position_ = or_one(std::max(roundoff_, tolerance_ * scale_.displacement() / root_mass_));
  velocity_ = or_one(speed > noise ? tolerance_ * speed : noise);
}

void MotionTolerance::write(double* out) const {
  const std::size_t n = seen_.unknowns();
  std::fill(out, out + n, position_);
  std::fill(out + n, out + 2 * n, velocity_);
}

}  // namespace stiffly::study
