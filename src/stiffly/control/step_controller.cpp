#include "stiffly/control/step_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "stiffly/integrators/step_doubling.hpp"

namespace stiffly {
namespace {

constexpr double safety = 0.85;
constexpr double shortest = 0.2;
constexpr double energy_part = 0.1;  ///< of the tolerance, that a step may gain of the energy in motion

/// Power of h with which the estimate falls: its own order or the method's, whichever is less, plus one.
int estimate_power(const IntegratorTraits& traits) {
  return 1 + std::min(traits.order, traits.embedded_order.value_or(traits.order));
}

/// What the estimate is held at.
double target_of(const IntegratorTraits& traits, double tolerance) {
  return std::pow(tolerance, static_cast<double>(estimate_power(traits)) / traits.order);
}

}  // namespace

MotionScale::MotionScale(const SecondOrderSystem& system, const State& start)
    : system_(&system), start_(start), work_(start.unknowns(), start.y.backend()) {
  speed_ = mass_norm(start.v());
  roundoff_ = 16 * std::numeric_limits<double>::epsilon() * mass_norm(start.x());
  constexpr double digits = 8 * std::numeric_limits<double>::epsilon();
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

double MotionScale::energy_gain(double before, double after) const {
  const double gain = after - before - energy_roundoff_;
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
  return h;
}

StepController::StepController(const IntegratorTraits& traits, double tolerance) {
  exponent_ = 1.0 / estimate_power(traits);
  target_ = target_of(traits, tolerance);
  most_energy_ = traits.oscillation_limit ? std::numeric_limits<double>::infinity() : energy_part * tolerance;
  longest_ = traits.step_growth;
}

bool StepController::judge(double error, double energy_gain) {
  const double ratio = std::isfinite(error) ? std::max(error / target_, energy_gain / most_energy_) : error;
  if (!(ratio <= 1)) {
    factor_ =
        std::isfinite(ratio) ? std::clamp(safety * std::pow(ratio, -exponent_), shortest, 0.9) : shortest;
    rejected_ = true;
    return false;
  }
  const double now = std::max(ratio, 1e-8);
  double factor = safety * std::pow(now, -0.7 * exponent_);
  if (last_) factor *= std::pow(*last_, 0.4 * exponent_);
  factor_ = std::clamp(factor, shortest, rejected_ ? 1.0 : longest_);
  last_ = now;
  rejected_ = false;
  return true;
}

void StepController::restore(std::span<const double> memory) {
  last_ = memory[0] < 0 ? std::nullopt : std::optional(memory[0]);
  rejected_ = memory[1] != 0;
}

void StepController::fail() {
  factor_ = 0.25;
  rejected_ = true;
}

IntegratorOptions options_for(const IntegratorTraits& traits, IntegratorOptions options, double tolerance) {
  constexpr double part = 0.01, least = 1e-13;
  const double wanted = std::max(least, part * target_of(traits, tolerance));
  options.phi_tolerance = std::min(options.phi_tolerance, wanted);
  options.newton_tolerance = std::min(options.newton_tolerance, wanted);
  return options;
}

Step step_with_error(Integrator& integrator, const State& from, double h) {
  return integrator.traits().embedded_order ? integrator.step(from, h, true)
                                            : doubled_step(integrator, from, h);
}

}  // namespace stiffly
