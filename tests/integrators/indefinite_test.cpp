// Implicit systems that have no solution are said to be at the particle where they are.
#include <gtest/gtest.h>

#include "integrators/problems.hpp"
#include "stiffly/error.hpp"
#include "stiffly/scene/spring_system.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::test {
namespace {

/// A row of springs at rest from particle to particle, every third one pinned, with one pressed to half its
/// length between particles 7 and 8, the latter pinned: 7 is pushed out sideways.
std::unique_ptr<ParticleSystem> compressed_row() {
  Particles p;
  std::vector<Spring> springs;
  for (int i = 0; i < 12; ++i) {
    p.position.push_back({0.1 * i, 0, 0});
    p.velocity.push_back({0, 0, 0});
    p.mass.push_back(0.01);
    p.pinned.push_back(i % 3 == 2);
    if (i > 0) springs.push_back({i - 1, i, 1e4, i == 8 ? 0.2 : 0.1});
  }
  return make_spring_system(p, springs, {0, 0, 0});
}

std::string message(const char* method, double h) {
  const auto system = compressed_row();
  const auto integrator = make_integrator(method);
  const State start = system->initial_state();
  try {
    integrator->start(*system, start);
    integrator->step(start, h, false);
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "solved";
}

// Numbers are the user's: inside, the pinned ones come last.
TEST(IndefiniteTest, TheParticleIsNamed) {
  for (const char* method : {"ros3pl", "ros3prl2", "baraff-witkin"}) {
    EXPECT_EQ(message(method, 1e-4), "solved") << method;
    const std::string said = message(method, 0.1);
    EXPECT_NE(said.find("not positive definite at particle 7 ("), std::string::npos)
        << method << ": " << said;
    EXPECT_NE(said.find("take a smaller step"), std::string::npos) << said;
  }
}

TEST(IndefiniteTest, MassesThatAreNone) {
  for (const double mass : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    Particles p{{{0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {1, mass}, {false, false}};
    try {
      make_spring_system(p, {{0, 1, 10, 1.0}}, {0, 0, 0});
      FAIL() << mass;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("particle 1: mass must be positive"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace stiffly::test
