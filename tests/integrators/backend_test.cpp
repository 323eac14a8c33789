// Every method runs on a backend that is not the host, and gives the same bits there.
#include <gtest/gtest.h>

#include "guarded_backend.hpp"
#include "integrators/problems.hpp"
#include "stiffly/integrators/stage_solver.hpp"
#include "stiffly/linalg/particle_constraints.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/scene/chain.hpp"
#include "stiffly/system/fput.hpp"

namespace stiffly::test {
namespace {

/// Steps from `start` with and without estimates, one of them rejected, a save and a restore on the way; the
/// last state and the last estimate.
Step run(const SecondOrderSystem& system, const IntegratorInfo& info, const IntegratorOptions& options,
         const State& start, double h) {
  auto method = info.make(options);
  State state = start;
  method->start(system, state);
  for (int i = 1; i <= 4; ++i) step_to(i * h, *method, state, h, i == 3);
  const IntegratorMemory memory = method->save();
  method = info.make(options);
  method->start(system, state);
  method->restore(memory);
  for (int i = 5; i <= 8; ++i) step_to(i * h, *method, state, h, false);
  return method->step(state, 0.7 * h, true);
}

void expect_same_bits(const SecondOrderSystem& system, const State& start, double h,
                      const IntegratorInfo& info, const IntegratorOptions& options, const std::string& what) {
  SCOPED_TRACE(info.name + " " + what);
  const GuardedSystem elsewhere(system);
  const Step expected = run(system, info, options, start, h);
  const long before = guarded_backend().operations;
  const Step found = run(elsewhere, info, options, guarded(start), h);
  EXPECT_GT(guarded_backend().operations, before);
  EXPECT_EQ(&found.state.y.backend(), &guarded_backend());
  EXPECT_EQ(to_host(found.state.y), to_host(expected.state.y));
  ASSERT_EQ(found.error.has_value(), expected.error.has_value());
  if (found.error) {
    EXPECT_EQ(to_host(*found.error), to_host(*expected.error));
  }
}

const IntegratorInfo& method_named(const std::string& name) {
  for (const IntegratorInfo& info : integrators())
    if (info.name == name) return info;
  throw std::logic_error(name);
}

TEST(BackendTest, EveryIntegrator) {
  const DrivenChain diagonal(DrivenChain::Mass::diagonal), consistent(DrivenChain::Mass::consistent);
  const Fput fput(3, 100);
  for (const IntegratorInfo& info : integrators()) {
    const IntegratorOptions options{.evaluator = "kiops"};
    expect_same_bits(diagonal, diagonal.initial_state(), 0.013, info, options, "diagonal mass");
    expect_same_bits(consistent, consistent.initial_state(), 0.013, info, options, "consistent mass");
    expect_same_bits(fput, fput.initial_state(), 0.0007, info, options, "conservative");
  }
}

TEST(BackendTest, EveryEvaluator) {
  const Fput fput(3, 100);                 // conservative
  const auto chain = make_chain_system();  // more unknowns than are exponentiated whole
  for (const EvaluatorInfo& evaluator : evaluators())
    for (const char* name : {"exprb42", "pexprb43", "gautschi-hl"}) {
      const IntegratorOptions options{.evaluator = evaluator.name};
      expect_same_bits(fput, fput.initial_state(), 0.013, method_named(name), options, evaluator.name);
      if (evaluator.name == "auto") continue;  // chooses by the clock
      expect_same_bits(*chain, chain->initial_state(), 1.3e-4, method_named(name), options, evaluator.name);
    }
}

TEST(BackendTest, ExplicitRoot) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  for (const char* evaluator : {"kiops", "rational"})
    expect_same_bits(system, system.initial_state(), 0.013, method_named("exprb42"),
                     {.evaluator = evaluator, .reformulation = Reformulation::explicit_root}, evaluator);
}

TEST(BackendTest, EverySolverOfImplicitStages) {
  const auto chain = make_chain_system();
  for (const NewtonKind& newton : newton_kinds())
    expect_same_bits(*chain, chain->initial_state(), 1.3e-4, method_named("sdirk2"), {.newton = newton.name},
                     newton.name);
  for (const LinearSolverInfo& solver : linear_solvers())
    expect_same_bits(*chain, chain->initial_state(), 1.3e-4, method_named("sdirk2"),
                     {.linear_solver = solver.name}, solver.name);
  const auto constraints = std::make_shared<ParticleConstraints>();
  constraints->fix(3, {0.1, 0, 0.2});
  expect_same_bits(*chain, chain->initial_state(), 1.3e-4, method_named("backward-euler"),
                   {.constraints = constraints}, "constrained");
}

}  // namespace
}  // namespace stiffly::test
