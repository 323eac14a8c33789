#include "stiffly/control/motion_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "stiffly/control/tuning.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/system/support_balance.hpp"

namespace stiffly {
namespace {

constexpr double digits = 8 * std::numeric_limits<double>::epsilon();

}  // namespace

MotionScale::MotionScale(const SecondOrderSystem& system, const State& start)
    : system_(&system), start_(start), work_(start.unknowns(), start.y.backend()) {
  speed_ = mass_norm(start.v());
  roundoff_ = 16 * std::numeric_limits<double>::epsilon() * mass_norm(start.x());
  std::vector<double> x = to_host(start.x());
  std::minstd_rand random;
  for (double& value : x) value *= 1 + (random() % 2 == 0 ? digits : -digits);
  const double exact = system.potential_energy(start.time, start.x());
  const double rounded = system.potential_energy(start.time, Vector(x, start.y.backend()));
  energy_roundoff_ = std::abs(rounded - exact) + digits * std::abs(exact);
}

double MotionScale::mass_norm(ConstVectorView x) const { return system_->mass().norm(x, work_); }

void MotionScale::see(const State& state) {
  Vector moved(state.x());
  axpy(-1.0, start_.x(), moved);
  displacement_ = std::max(displacement_, mass_norm(moved));
  speed_ = std::max(speed_, mass_norm(state.v()));
}

double MotionScale::relative(const Vector& error) const {
  const std::size_t n = error.size() / 2;
  const auto ratio = [](double part, double whole) { return part == 0 ? 0 : part / whole; };
  return std::hypot(ratio(std::max(0.0, mass_norm(error.part(0, n)) - roundoff_), displacement_),
                    ratio(mass_norm(error.part(n, n)), speed_)) /
         std::sqrt(2.0);
}

double MotionScale::energy_roundoff(double energy) const {
  return std::max(energy_roundoff_, digits * std::abs(energy));
}

double MotionScale::energy_gain(double before, double after) const {
  const double gain = after - before - energy_roundoff(before);
  return system_->passive() && gain > 0 ? gain / (0.5 * speed_ * speed_) : 0;
}

double MotionScale::first_step(double tolerance, double duration) {
  Vector f(start_.unknowns(), start_.y.backend()), a(f);
  system_->force(start_.time, start_.x(), start_.v(), f);
  system_->mass().solve(f, a);
  const double size = mass_norm(start_.x()), push = mass_norm(a);
  const double part = std::cbrt(tolerance);
  double h = duration / 20;
  if (push > 0 && size > 0) h = std::min(h, part * std::sqrt(size / push));
  if (speed_ > 0 && push > 0) h = std::min(h, part * speed_ / push);
  if (speed_ > 0 && size > 0) h = std::min(h, part * size / speed_);
  displacement_ = std::max(displacement_, h * speed_ + h * h * push / 2);
  speed_ = std::max(speed_, h * push);
  // Supports that only begin to move: at rest, and soon after, any error would be large.
  const SupportBalance::Along soon = SupportBalance(*system_).along(start_, duration);
  displacement_ = std::max(displacement_, part * soon.distance);
  speed_ = std::max(speed_, part * soon.speed);
  if (displacement_ <= tuning::at_rest * size) look_ahead(part, duration);
  see_obstacles(duration);
  return h;
}

// What they strike, comes to move about as they do: what is far less is at rest.
void MotionScale::see_obstacles(double duration) {
  if (system_->passive()) return;  // none moves
  constexpr int looks = 256;
  Vector ones(start_.unknowns(), start_.y.backend());
  fill(1.0, ones);
  const double part = tuning::not_struck * mass_norm(ones) / std::sqrt(3.0), apart = duration / looks;
  for (int i = 1; i <= looks; ++i) {
    const double t = start_.time + i * apart;
    displacement_ = std::max(displacement_, part * system_->obstacles_carried(start_.time, t));
    speed_ = std::max(speed_, part * system_->obstacles_carried(t - apart, t) / apart);
  }
}

// Backward Euler in long steps follows what is slow and damps the rest.
void MotionScale::look_ahead(double part, double duration) {
  constexpr int steps = 20;
  const double size = mass_norm(start_.x());
  MotionScale ahead(*system_, start_);
  for (double h = duration / steps; h > 1e-6 * duration && ahead.displacement_ == 0; h /= 10) try {
      const auto method = make_integrator("backward-euler");
      method->start(*system_, start_);
      State state = start_;
      for (int i = 0; i < steps; ++i) ahead.see(state = method->step(state, h, false).state);
      break;
    } catch (const SimulationError&) {  // too long: what was seen before counts
    }
  const double rest = tuning::nothing_moves * size;
  displacement_ = std::max({displacement_, part * ahead.displacement_, rest});
  speed_ = std::max({speed_, part * ahead.speed_, rest * steps / duration});
}

}  // namespace stiffly
