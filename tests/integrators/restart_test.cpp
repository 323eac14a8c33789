// A run that was saved and restored goes on bit for bit like the one that was only saved.
#include <gtest/gtest.h>

#include "integrators/problems.hpp"
#include "stiffly/scene/chain.hpp"

namespace stiffly::test {
namespace {

/// Steps `first` to `last` of a run; every fourth, the first among them, after a rejected one.
void advance(Integrator& method, State& state, double h, int first, int last) {
  for (int i = first; i <= last; ++i) step_to(i * h, method, state, h, (i - first) % 4 == 0);
}

void expect_same_continuation(const SecondOrderSystem& system, const State& start, double h) {
  for (const IntegratorInfo& info : integrators()) {
    const IntegratorOptions options{.evaluator = "kiops"};
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

}  // namespace
}  // namespace stiffly::test
