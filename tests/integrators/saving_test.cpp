// What a method saves between steps costs it nothing that it would have kept.
#include <gtest/gtest.h>

#include "stiff_links.hpp"
#include "stiffly/integrators/registry.hpp"

namespace stiffly::test {
namespace {

class Saving : public testing::TestWithParam<const char*> {};

// Steps of a swinging chain with a save after each, with what was saved restored in another method after
// each, and with neither: the same states bit for bit, and but for those restored as many factors.
TEST_P(Saving, KeepsTheFactor) {
  const auto system = falling_chain(3e5);
  enum class Between { nothing, save, restore };
  struct End {
    State state;
    long factors;
  };
  const auto travel = [&](Between between) {
    State state = system->initial_state();
    auto method = make_integrator(GetParam());
    method->start(*system, state);
    const long before = system->counters().factorization;
    for (int i = 0; i < 40; ++i) {
      state = method->step(state, 0.0023, false).state;
      if (between == Between::nothing) continue;
      const IntegratorMemory memory = method->save();
      if (between == Between::save) continue;
      method = make_integrator(GetParam());
      method->start(*system, state);
      method->restore(memory);
    }
    return End{state, static_cast<long>(system->counters().factorization - before)};
  };
  const End plain = travel(Between::nothing), saved = travel(Between::save),
            restored = travel(Between::restore);
  std::printf("%ld factors in 40 steps\n", plain.factors);
  EXPECT_LT(plain.factors, 40);
  EXPECT_EQ(saved.factors, plain.factors);
  EXPECT_EQ(to_host(saved.state.y), to_host(plain.state.y));
  EXPECT_EQ(to_host(restored.state.y), to_host(plain.state.y));
}

INSTANTIATE_TEST_SUITE_P(Methods, Saving,
                         testing::Values("energy-momentum", "energy-momentum-damped", "backward-euler",
                                         "implicit-midpoint", "tr-bdf2", "bdf2", "newmark"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace stiffly::test
