// Methods with a memory: what they remember holds for the state they are asked to go on from, or is not used.
#include <gtest/gtest.h>

#include "integrators/problems.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/same_state.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly::test {
namespace {

const IntegratorOptions exact{.evaluator = "dense", .phi_tolerance = 1e-12, .newton_tolerance = 1e-13};
constexpr double h = 0.07;
/// Iterations of Newton's method start elsewhere: results agree to its tolerance.
constexpr double same_up_to = 1e-11;

/// A method that went `steps` steps into a run.
struct Running {
  const SecondOrderSystem& system;
  std::unique_ptr<Integrator> method;
  State state;

  Running(const SecondOrderSystem& of, const IntegratorInfo& info, State start, int steps)
      : system(of), method(info.make(exact)), state(std::move(start)) {
    method->start(system, state);
    for (int i = 1; i <= steps; ++i) step_to(i * h, *method, state, h, false);
  }
};

/// Energies of `wave` at every step, over its starting energy.
std::vector<double> relative_energies(const char* name, double step) {
  const TestEquation equation = wave();
  State state = equation.start;
  const double start = equation.system->energy(state);
  std::vector<double> energies;
  simulate(*equation.system, *make_integrator(name, exact), state, {.duration = 20, .step = step},
           [&](const State& reached, const SimulationSummary&) {
             energies.push_back(equation.system->energy(reached) / start);
             return true;
           });
  return energies;
}

// Average acceleration is the trapezoidal rule, which keeps quadratic energies, whatever the steps.
TEST(MemoryTest, NewmarkKeepsTheEnergyOfLinearOscillators) {
  for (const double step : {0.1, 0.07, 0.11, 0.23})
    for (const double energy : relative_energies("newmark", step)) ASSERT_NEAR(energy, 1, 1e-10) << step;
}

TEST(MemoryTest, GeneralizedAlphaNeverGains) {
  for (const double step : {0.1, 0.07, 0.11, 0.23}) {
    const std::vector<double> energies = relative_energies("generalized-alpha", step);
    for (const double energy : energies) ASSERT_LE(energy, 1 + 1e-10) << step;
    EXPECT_LT(energies.back(), 1 - 1e-6) << step;
  }
}

TEST(MemoryTest, ARejectedStepLeavesNoTrace) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  for (const IntegratorInfo& info : integrators()) {
    Running straight(system, info, system.initial_state(), 9),
        hesitating(system, info, system.initial_state(), 9);
    for (const double tried : {1.9, 0.6, 1.1}) hesitating.method->step(hesitating.state, tried * h, true);
    for (int i = 10; i <= 13; ++i) {
      step_to(i * h, *straight.method, straight.state, h, false);
      step_to(i * h, *hesitating.method, hesitating.state, h, false);
    }
    EXPECT_LT(distance(straight.state, hesitating.state), same_up_to) << info.name;
  }
}

TEST(MemoryTest, TimesMayBeRounded) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  for (const IntegratorInfo& info : integrators()) {
    Running plain(system, info, system.initial_state(), 9), rounded(system, info, system.initial_state(), 9);
    rounded.state.time = std::nextafter(rounded.state.time, 1e3);
    const Step a = plain.method->step(plain.state, h, false);
    const Step b = rounded.method->step(rounded.state, h, false);
    EXPECT_LT(distance(a.state, b.state), same_up_to) << info.name;
  }
}

/// Whoever changes the state or the clock without a word gets what a fresh start from there gives.
TEST(MemoryTest, AChangedStateIsANewStart) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  for (const IntegratorInfo& info : integrators())
    for (const bool later : {false, true}) {
      if (info.name == "ros3pl-w" || info.family == "exponential Runge–Kutta" || info.family == "Gautschi" ||
          info.name == "v-imex")
        continue;  // their linear part is that of start(), by definition
      Running old(system, info, system.initial_state(), 9);
      if (later)
        old.state.time += 0.5;
      else
        host(old.state.y)[2] += 0.1;
      Running fresh(system, info, old.state, 0);
      for (int i = 1; i <= 3; ++i) {
        const double next = old.state.time + h;
        step_to(next, *old.method, old.state, h, false);
        step_to(next, *fresh.method, fresh.state, h, false);
      }
      EXPECT_LT(distance(old.state, fresh.state), same_up_to) << info.name << (later ? " later" : "");
    }
}

/// At rest every state has the same entries: only the time tells one step from the next.
TEST(MemoryTest, NothingMovesAtRest) {
  const TestEquation equation = wave();
  const double zero = 0;
  for (const IntegratorInfo& info : integrators()) {
    Running run(*equation.system, info, State(0.0, std::span(&zero, 1), std::span(&zero, 1)), 9);
    for (int i = 10; i <= 15; ++i) step_to(i * h, *run.method, run.state, h, true);
    EXPECT_EQ(norm(run.state.y), 0) << info.name;
  }
}

/// Newton's method fails in a step, which is then made shorter: as if it had not been tried.
TEST(MemoryTest, AFailedStepLeavesNoTrace) {
  /// x'' = −x up to a time, and nothing known beyond it.
  class Short final : public SecondOrderSystem {
   public:
    std::size_t unknowns() const override { return 1; }
    const MassMatrix& mass() const override { return mass_; }
    double potential_energy(double, ConstVectorView) const override { return 0; }
    bool autonomous() const override { return false; }

   protected:
    void do_force(double t, ConstVectorView x, ConstVectorView, VectorView f) const override {
      host(f)[0] = t < 0.95 ? -host(x)[0] : HUGE_VAL;
    }
    void do_tangent(double, ConstVectorView, ConstVectorView, Tangent& out) const override {
      out.stiffness = BlockMatrix(pattern_);
      *out.stiffness.block(0) = 1;
    }
    void do_force_rate(double, ConstVectorView, ConstVectorView, VectorView out) const override {
      fill(0.0, out);
    }

   private:
    std::shared_ptr<const BlockPattern> pattern_ = BlockPattern::symmetric(1, 1, {});
    MassMatrix mass_ = MassMatrix::diagonal(std::vector<double>{1.0});
  };
  const Short system;
  const double x = 1, v = 0;
  for (const IntegratorInfo& info : integrators()) {
    if (!info.implicit) continue;
    const State start(0.0, std::span(&x, 1), std::span(&v, 1));
    Running straight(system, info, start, 9), failing(system, info, start, 9);
    EXPECT_THROW(failing.method->step(failing.state, 1.0, false), SimulationError) << info.name;
    for (int i = 10; i <= 13; ++i) {
      step_to(i * h, *straight.method, straight.state, h, false);
      step_to(i * h, *failing.method, failing.state, h, false);
    }
    EXPECT_LT(distance(straight.state, failing.state), same_up_to) << info.name;
  }
}

}  // namespace
}  // namespace stiffly::test
