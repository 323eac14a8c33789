// What a step costs, counted.
#include <gtest/gtest.h>

#include <set>

#include "integrators/problems.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/dirk.hpp"
#include "stiffly/integrators/energy_momentum.hpp"
#include "stiffly/integrators/exponential_tableau.hpp"
#include "stiffly/integrators/rosenbrock.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly::test {
namespace {

/// Forces, tangents, factorisations, solves.
struct Work {
  std::int64_t force = 0, tangent = 0, factorization = 0, solve = 0;
  friend bool operator==(const Work&, const Work&) = default;
  friend Work operator*(int n, const Work& w) {
    return {n * w.force, n * w.tangent, n * w.factorization, n * w.solve};
  }
};

std::ostream& operator<<(std::ostream& out, const Work& w) {
  return out << w.force << " forces, " << w.tangent << " tangents, " << w.factorization << " factorizations, "
             << w.solve << " solves";
}

/// A linear stage: one Newton step, and a second residual and solve that show it was enough. With strains as
/// unknowns the factor is kept.
Work stage_of(const std::string& newton) {
  const int factors = newton == "mixed" ? 0 : 1;
  return {.force = 2, .tangent = factors, .factorization = factors, .solve = 2};
}

Work expected(const IntegratorInfo& info, const Work& stage) {
  for (const ButcherTableau& t : explicit_tableaus())
    if (t.traits.name == info.name) return {.force = std::ssize(t.b) - (t.b.back() == 0 ? 1 : 0)};
  for (const ButcherTableau& t : dirk_tableaus())
    if (t.traits.name == info.name) {
      int implicit = 0, evaluations = 0;
      std::set<float> diagonal;  // stages with different ones do not share a factor
      for (std::size_t i = 0; i < t.b.size(); ++i) {
        const bool is_implicit = t.a[i].size() > i;
        implicit += is_implicit ? 1 : 0;
        if (is_implicit) diagonal.insert(static_cast<float>(t.a[i][i]));
        evaluations += !is_implicit && t.b[i] != 0 ? 1 : 0;  // used for the result
      }
      Work w = implicit * (diagonal.size() > 1 ? stage_of("line-search") : stage);
      w.force += evaluations;
      return w;
    }
  for (const RosenbrockTableau& t : rosenbrock_tableaus())
    if (t.traits.name == info.name)
      return {.force = std::ssize(t.m),
              .tangent = t.inexact ? 0 : 1,
              .factorization = 1,
              .solve = std::ssize(t.m)};
  for (const ExponentialTableau& t : exponential_tableaus())
    if (t.name == info.name)
      return {.force = 1 + std::ssize(t.nodes), .tangent = t.linear_part == LinearPart::dynamic ? 1 : 0};
  if (info.family == "Verlet") return {.force = 1};
  if (info.family == "BDF" || info.family == "Newmark") return stage;
  for (const EnergyMomentum::Variant& variant : EnergyMomentum::all())  // on factors that are kept
    if (variant.traits.name == info.name)
      return static_cast<int>(variant.parameters.parts.size()) * Work{.force = 2, .solve = 2};
  if (info.name == "energy-exponential")  // two iterations, and the only mode
    return {.force = 3, .tangent = 1, .factorization = 1, .solve = 3};
  if (info.family == "Gautschi") return {.force = 2};
  if (info.name == "v-imex") return {.force = 1, .solve = 1};
  ADD_FAILURE() << info.name << ": nobody said what a step of it costs";
  return {};
}

TEST(WorkTest, AStepCostsWhatItsFormulaSays) {
  const TestEquation equation = wave();
  for (const char* newton : {"line-search", "mixed"})
    for (const IntegratorInfo& info : integrators()) {
      const auto method = info.make({.evaluator = "dense", .newton = newton});
      State state = equation.start;
      method->start(*equation.system, state);
      constexpr double h = 0.03;
      for (int i = 1; i <= 10; ++i) step_to(i * h, *method, state, h, i == 8);
      const Counters before = equation.system->counters();
      for (int i = 11; i <= 21; ++i) step_to(i * h, *method, state, h, false);
      const Counters used = equation.system->counters() - before;
      EXPECT_EQ((Work{used.force, used.tangent, used.factorization, used.solve}),
                11 * expected(info, stage_of(newton)))
          << info.name << " " << newton;
    }
}

/// The times of steps are rounded, their length is not: what holds for one length is computed once, and once
/// more for a shorter last step.
TEST(WorkTest, ARunFactorizesOncePerLengthOfStep) {
  const TestEquation equation = wave();
  for (const auto& [duration, lengths] : {std::pair(3.3, 1), std::pair(3.25, 2)}) {
    State state = equation.start;
    const Counters before = equation.system->counters();
    simulate(*equation.system, *make_integrator("v-imex"), state, {.duration = duration, .step = 0.011});
    EXPECT_EQ((equation.system->counters() - before).factorization, lengths) << duration;
    EXPECT_EQ(state.time, duration);
  }
}

}  // namespace
}  // namespace stiffly::test
