// A run that was saved and restored goes on bit for bit like the one that was only saved.
#include <gtest/gtest.h>

#include "integrators/problems.hpp"
#include "stiff_links.hpp"
#include "stiffly/scene/chain.hpp"

namespace stiffly::test {
namespace {

/// Steps `first` to `last` of a run; every fourth, the first among them, after a rejected one.
void advance(Integrator& method, State& state, double h, int first, int last) {
  for (int i = first; i <= last; ++i) step_to(i * h, method, state, h, (i - first) % 4 == 0);
}

void expect_same_continuation(const SecondOrderSystem& system, const State& start, double h,
                              const std::string& newton = "line-search", bool only_implicit = false) {
  for (const IntegratorInfo& info : integrators()) {
    if (only_implicit && !info.implicit) continue;
    const IntegratorOptions options{.evaluator = "kiops", .newton = newton};
    const auto method = info.make(options);
    State state = start;
    method->start(system, state);
    advance(*method, state, h, 1, 11);
    const State saved = state;
    const IntegratorMemory memory = method->save();
    advance(*method, state, h, 12, 20);

    const auto again = info.make(options);
    State restored = saved;
    again->start(system, restored);
    again->restore(memory);
    advance(*again, restored, h, 12, 20);
    for (std::size_t i = 0; i < state.y.size(); ++i)
      ASSERT_EQ(host(state.y)[i], host(restored.y)[i]) << info.name << " entry " << i;
    EXPECT_EQ(state.time, restored.time);
    EXPECT_GT(distance(state, saved), 0) << info.name;
  }
}

TEST(RestartTest, DrivenDampedChain) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  expect_same_continuation(system, system.initial_state(), 0.011);
}

TEST(RestartTest, HangingChain) {
  const auto system = make_chain_system();
  expect_same_continuation(*system, system->initial_state(), 1.1e-4);
}

// What was learnt about the factor and about how far a step has to be divided is dropped, strains are not.
TEST(RestartTest, StrainsAsUnknowns) {
  const auto system = make_chain_system();
  expect_same_continuation(*system, system->initial_state(), 1.1e-4, "mixed", true);
  expect_same_continuation(*system, system->initial_state(), 0.0053, "mixed", true);
}

TEST(RestartTest, DividedSteps) {
  const auto cube = spinning_cube(1e5);
  for (const char* name : {"energy-momentum", "energy-momentum-damped", "energy-momentum-4"}) {
    const auto method = make_integrator(name), again = make_integrator(name);
    State state = cube->initial_state();
    method->start(*cube, state);
    advance(*method, state, 0.41, 1, 3);
    State restored = state;
    const IntegratorMemory memory = method->save();
    advance(*method, state, 0.41, 4, 6);
    again->start(*cube, restored);
    again->restore(memory);
    advance(*again, restored, 0.41, 4, 6);
    EXPECT_EQ(to_host(state.y), to_host(restored.y)) << name;
  }
}

}  // namespace
}  // namespace stiffly::test
