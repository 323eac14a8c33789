#include "stiffly/control/step_controller.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/control/tuning.hpp"
#include "stiffly/integrators/step_doubling.hpp"

namespace stiffly {
namespace {

/// Power of h with which the estimate falls: its own order or the method's, whichever is less, plus one.
int estimate_power(const IntegratorTraits& traits) {
  return 1 + std::min(traits.order, traits.embedded_order.value_or(traits.order));
}

/// What the estimate is held at.
double target_of(const IntegratorTraits& traits, double tolerance) {
  return std::pow(tolerance, static_cast<double>(estimate_power(traits)) / traits.order);
}

}  // namespace

StepController::StepController(const IntegratorTraits& traits, double tolerance) {
  exponent_ = 1.0 / estimate_power(traits);
  target_ = target_of(traits, tolerance);
  longest_ = traits.step_growth;
  steady_ = traits.keeps_factor;
}

bool StepController::judge(double error, double energy_share) {
  const double ratio = std::isfinite(error) ? std::max(error / target_, energy_share) : error;
  if (!(ratio <= 1)) {
    factor_ = std::isfinite(ratio) ? std::clamp(tuning::safety * std::pow(ratio, -exponent_),
                                                tuning::shortest_cut, tuning::longest_cut)
                                   : tuning::shortest_cut;
    rejected_ = true;
    return false;
  }
  const double now = std::max(ratio, 1e-8);
  double factor = tuning::safety * std::pow(now, -tuning::proportional * exponent_);
  if (last_) factor *= std::pow(*last_, tuning::integral * exponent_);
  factor_ = std::clamp(factor, tuning::shortest_cut, rejected_ ? 1.0 : longest_);
  if (steady_ && factor_ > tuning::worth_shortening && factor_ < tuning::worth_growing) factor_ = 1;
  last_ = now;
  rejected_ = false;
  return true;
}

void StepController::restore(std::span<const double> memory) {
  last_ = memory[0] < 0 ? std::nullopt : std::optional(memory[0]);
  rejected_ = memory[1] != 0;
}

void StepController::fail() {
  factor_ = tuning::failure_cut;
  rejected_ = true;
}

IntegratorOptions options_for(const IntegratorTraits& traits, IntegratorOptions options, double tolerance) {
  constexpr double least = 1e-13;
  const double wanted = std::max(least, tuning::solver_part * target_of(traits, tolerance));
  options.phi_tolerance = std::min(options.phi_tolerance, wanted);
  options.newton_tolerance = std::min(options.newton_tolerance, wanted);
  return options;
}

Step step_with_error(Integrator& integrator, const State& from, double h) {
  return integrator.traits().embedded_order ? integrator.step(from, h, true)
                                            : doubled_step(integrator, from, h);
}

}  // namespace stiffly
