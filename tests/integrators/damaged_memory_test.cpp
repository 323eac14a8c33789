// A memory that comes from a file is looked at before it is used: whatever is missing, too many, of another
// size, not finite or out of its range is refused, and the message names the array.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "integrators/problems.hpp"
#include "stiffly/integrators/memory_reader.hpp"

namespace stiffly::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Vector resized(const Vector& v, std::ptrdiff_t change) {
  std::vector<double> values = to_host(v);
  values.resize(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(values.size()) + change), 0.5);
  return Vector(std::span<const double>(values));
}

Vector with_nan(const Vector& v) {
  std::vector<double> values = to_host(v);
  values.back() = nan;
  return Vector(std::span<const double>(values));
}

struct Damaged {
  std::string array;
  IntegratorMemory memory;
};

/// Every array of the memory, damaged in every way.
std::vector<Damaged> all_damages(const IntegratorMemory& sound) {
  std::vector<Damaged> out;
  const auto numbers = [&](const std::function<void(std::vector<double>&)>& damage) {
    out.push_back({"integrator/numbers", sound});
    damage(out.back().memory.numbers);
  };
  numbers([](auto& n) { n.push_back(0.25); });
  if (!sound.numbers.empty()) numbers([](auto& n) { n.pop_back(); });
  for (std::size_t i = 0; i < sound.numbers.size(); ++i) {
    numbers([&](auto& n) { n[i] = nan; });
    numbers([&](auto& n) { n[i] = std::numeric_limits<double>::infinity(); });
  }
  for (std::size_t i = 0; i < sound.vectors.size(); ++i) {
    const std::string name = "integrator/vector" + std::to_string(i);
    for (const Vector& v : {resized(sound.vectors[i], -1), resized(sound.vectors[i], 1), Vector(),
                            with_nan(sound.vectors[i])}) {
      out.push_back({name, sound});
      out.back().memory.vectors[i] = v;
    }
  }
  out.push_back({"integrator/vector" + std::to_string(sound.vectors.size()), sound});
  out.back().memory.vectors.push_back(Vector(3));
  if (sound.vectors.size() > 1) {  // none at all is what methods of one stage save before the first step
    out.push_back({"integrator/vector" + std::to_string(sound.vectors.size() - 1), sound});
    out.back().memory.vectors.pop_back();
  }
  return out;
}

TEST(DamagedMemoryTest, DamagedOnesAreRefusedByEveryMethod) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  const State start = system.initial_state();
  for (const IntegratorInfo& info : integrators())
    for (const int steps : {0, 2, 9}) {  // multistep methods are still starting, or under way
      SCOPED_TRACE(info.name + " after " + std::to_string(steps) + " steps");
      const auto method = info.make({});
      method->start(system, start);
      State state = start;
      for (int i = 0; i < steps; ++i) state = method->step(state, 0.007, false).state;
      const IntegratorMemory sound = method->save();
      method->start(system, state);
      EXPECT_NO_THROW(method->restore(sound));
      for (const Damaged& damaged : all_damages(sound)) {
        method->start(system, state);
        try {
          method->restore(damaged.memory);
          ADD_FAILURE() << damaged.array << " was taken";
        } catch (const DamagedMemory& error) {
          // A missing last vector of a method that may have saved none of these is missed further back.
          EXPECT_NE(std::string(error.what()).find("integrator/"), std::string::npos) << error.what();
        }
      }
    }
}

TEST(DamagedMemoryTest, TimesOfPastStatesFall) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  const auto method = make_integrator("bdf3");
  State state = system.initial_state();
  method->start(system, state);
  for (int i = 0; i < 7; ++i) state = method->step(state, 0.007, false).state;
  IntegratorMemory memory = method->save();
  ASSERT_EQ(memory.numbers.at(0), 4);  // how many times follow
  std::swap(memory.numbers.at(2), memory.numbers.at(3));
  EXPECT_THROW(method->restore(memory), DamagedMemory);
}

TEST(DamagedMemoryTest, ShiftsOfTheMetricStayInTheirRange) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  const auto method = make_integrator("exprb42");
  method->start(system, system.initial_state());
  IntegratorMemory memory = method->save();
  for (const double shift : {0.0, -1.0, 0.2, 1e6}) {
    memory.numbers.at(1) = shift;
    EXPECT_THROW(method->restore(memory), DamagedMemory) << shift;
  }
}

}  // namespace
}  // namespace stiffly::test
