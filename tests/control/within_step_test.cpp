// What a run shows between the ends of its steps: as good as what it shows at them, for every method.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "integrators/problems.hpp"
#include "stiffly/control/dense_output.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly::test {
namespace {

/// Fractions of every step that are looked at.
constexpr double looked_at[] = {0.13, 0.37, 0.5, 0.71, 0.94};

/// The states of a run at the ends of its steps, and those within the steps.
struct Shown {
  std::vector<State> at_steps, within;
};

Shown run(Stepper& stepper) {
  Shown out;
  while (!stepper.done()) {
    const double begin = stepper.state().time;
    stepper.advance();
    const double h = stepper.state().time - begin;
    std::vector<double> times;
    for (const double part : looked_at) times.push_back(begin + part * h);
    for (State& state : stepper.within(times)) out.within.push_back(std::move(state));
    out.at_steps.push_back(stepper.state());
  }
  return out;
}

double error_of_positions(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.unknowns(); ++i)
    largest = std::max(largest, std::abs(host(a.x())[i] - host(b.x())[i]));
  return largest;
}

template <class Exact>
double worst(const std::vector<State>& states, const Exact& exact) {
  double largest = 0;
  for (const State& state : states) largest = std::max(largest, error_of_positions(state, exact(state.time)));
  return largest;
}

IntegratorOptions precise() { return {.phi_tolerance = 1e-11, .newton_tolerance = 1e-12}; }

class EveryMethod : public testing::TestWithParam<std::string> {};

/// By the cubic between steps that are some fifty times shorter.
class FineRun {
 public:
  FineRun(const SecondOrderSystem& system, const State& start, double duration, double h) {
    const auto stepper = make_stepper("dopri5", system, start, {.duration = duration, .step = h});
    states_.push_back(start);
    while (!stepper->done()) {
      stepper->advance();
      states_.push_back(stepper->state());
    }
  }
  State operator()(double time) const {
    const auto after =
        std::ranges::lower_bound(states_, time, {}, [](const State& state) { return state.time; });
    if (after == states_.begin()) return *after;
    return interpolate(*(after - 1), *after, time);
  }

 private:
  std::vector<State> states_;
};

TEST_P(EveryMethod, IsAsGoodWithinStepsAsAtThem) {
  const DrivenChain chain(DrivenChain::Mass::diagonal);
  const State start = chain.initial_state();
  const double duration = 1.3;
  static const FineRun exact(chain, start, duration, 2e-4);
  for (const double h : {0.037, 0.0093}) {
    const auto stepper = make_stepper(GetParam(), chain, start, {.duration = duration, .step = h}, precise());
    const Shown shown = run(*stepper);
    const double at_steps = worst(shown.at_steps, exact), within = worst(shown.within, exact);
    EXPECT_LE(within, 3 * at_steps + 1e-11) << "h = " << h << ", " << at_steps << " at steps";
  }
}

TEST_P(EveryMethod, IsTheSameRunWhetherLookedAtOrNot) {
  const DrivenChain chain(DrivenChain::Mass::consistent);
  const State start = chain.initial_state();
  for (const StepPlan& plan :
       {StepPlan{.duration = 0.4, .step = 0.013}, StepPlan{.duration = 0.4, .tolerance = 1e-2}}) {
    const auto looked = make_stepper(GetParam(), chain, start, plan),
               left_alone = make_stepper(GetParam(), chain, start, plan);
    run(*looked);
    while (!left_alone->done()) left_alone->advance();
    EXPECT_EQ(to_host(looked->state().y), to_host(left_alone->state().y));
  }
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const IntegratorInfo& info : integrators()) out.push_back(info.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(WithinStep, EveryMethod, testing::ValuesIn(names()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

/// Independent oscillators that start at rest, displaced.
struct Oscillators {
  std::vector<double> omega, amplitude;

  LinearOscillator system() const {
    const auto n = static_cast<Eigen::Index>(omega.size());
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) K(i, i) = std::pow(omega[static_cast<std::size_t>(i)], 2);
    return {Eigen::MatrixXd::Identity(n, n), K, Eigen::MatrixXd::Zero(n, n)};
  }
  State operator()(double t) const {
    std::vector<double> x, v;
    for (std::size_t i = 0; i < omega.size(); ++i) {
      x.push_back(amplitude[i] * std::cos(omega[i] * t));
      v.push_back(-amplitude[i] * omega[i] * std::sin(omega[i] * t));
    }
    return State(t, x, v);
  }
};

// Five steps for many periods: no polynomial knows what is between their ends.
TEST(WithinStep, LongStepsOfExponentialMethodsShowEveryVibration) {
  const Oscillators truss{{7, 31, 83, 177, 290}, {0.3, 0.1, 0.07, 0.02, 0.03}};
  const LinearOscillator system = truss.system();
  for (const char* method : {"exprb42", "pexprb43", "exprb32", "gautschi-hl"}) {
    const auto stepper =
        make_stepper(method, system, truss(0), {.duration = 2.1, .tolerance = 1e-3}, precise());
    const Shown shown = run(*stepper);
    EXPECT_LT(shown.at_steps.size(), 70u) << method;
    EXPECT_LT(worst(shown.within, truss), 1e-6) << method;
  }
}

// Methods that keep the energy keep vibrations far faster than the step, too, and velocities end at any
// phase.
TEST(WithinStep, FastVibrationsAreNotBlownUpByInterpolation) {
  const Oscillators stiff{{1.3, 3000}, {1, 1e-4}};
  const LinearOscillator system = stiff.system();
  for (const char* method : {"trapezoidal", "implicit-midpoint", "newmark", "generalized-alpha", "v-imex"}) {
    const auto stepper = make_stepper(method, system, stiff(0), {.duration = 2.1, .step = 0.07}, precise());
    stepper->advance();  // what was before the first step nobody knows
    double largest = 0;
    for (const State& state : run(*stepper).within)
      if (state.time > 0.2) largest = std::max(largest, std::abs(host(state.x())[1]));
    EXPECT_LT(largest, 3e-4) << method;
  }
}

// The choice makes its steps ahead in trials, and by other methods than before.
TEST(WithinStep, AutomaticRunsAreAsGoodWithinSteps) {
  const Oscillators truss{{7, 31, 83}, {0.3, 0.1, 0.07}};
  const LinearOscillator system = truss.system();
  const auto stepper = make_stepper("auto", system, truss(0), {.duration = 3, .tolerance = 1e-4});
  const Shown shown = run(*stepper);
  EXPECT_LE(worst(shown.within, truss), 3 * worst(shown.at_steps, truss) + 1e-13);  // beyond rounding
}

}  // namespace
}  // namespace stiffly::test
