// States at even times, whatever the steps.
#include "stiffly/control/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/control/dense_output.hpp"

namespace stiffly {
namespace {

/// x = t³ − t, which a cubic gives back exactly.
State cubic(double t) { return State(t, std::vector{t * t * t - t}, std::vector{3 * t * t - 1}); }

std::vector<State> samples(const std::vector<double>& times, double rate) {
  std::vector<State> out;
  Sampler sampler(times.front(), rate, [&](const State& state) { out.push_back(state); });
  for (const double t : times) sampler.see(cubic(t));
  EXPECT_EQ(sampler.count(), static_cast<long>(out.size()));
  return out;
}

TEST(SamplerTest, TimesAreExactAndStatesDoNotDependOnTheSteps) {
  const std::vector<double> steps[] = {{2, 3},
                                       {2, 2.35, 2.4, 2.41, 2.7, 3},
                                       {2, 2 + 1.0 / 3, 2 + 2.0 / 3, 3},
                                       {2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3}};
  for (const auto& times : steps) {
    const std::vector<State> found = samples(times, 10);
    ASSERT_EQ(found.size(), 11u);
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double t = 2 + static_cast<double>(k) / 10;
      EXPECT_EQ(found[k].time, t);
      EXPECT_NEAR(host(found[k].x())[0], t * t * t - t, 1e-12);
      EXPECT_NEAR(host(found[k].v())[0], 3 * t * t - 1, 1e-12);
    }
  }
}

TEST(SamplerTest, StepsThatEndAtASampleAreTakenAsTheyAre) {
  // Times as sums of rounded steps miss the samples' times by some ulps, at the end too.
  std::vector<double> times = {0};
  for (int i = 0; i < 10; ++i) times.push_back(times.back() + 0.1);
  const std::vector<State> found = samples(times, 10);
  ASSERT_NE(times.back(), 1.0);
  ASSERT_EQ(found.size(), 11u);
  EXPECT_EQ(found.back().time, 1.0);
  EXPECT_EQ(host(found.back().x())[0], host(cubic(times.back()).x())[0]);
}

TEST(SamplerTest, NothingIsTakenTwiceOrLeftOutWhereARunGoesOn) {
  const std::vector<double> times = {0, 0.17, 0.3, 0.48, 0.5, 0.9, 1.3};
  const std::vector<State> whole = samples(times, 20);
  for (std::size_t stop = 0; stop < times.size(); ++stop) {
    std::vector<State> parts;
    const auto sink = [&](const State& state) { parts.push_back(state); };
    Sampler before(0, 20, sink), after(0, 20, sink);
    for (std::size_t i = 0; i <= stop; ++i) before.see(cubic(times[i]));
    before.see(cubic(times[stop]));
    after.resume(cubic(times[stop]));
    EXPECT_EQ(after.count(), before.count());
    for (std::size_t i = stop; i < times.size(); ++i) after.see(cubic(times[i]));
    ASSERT_EQ(parts.size(), whole.size());
    for (std::size_t k = 0; k < whole.size(); ++k) {
      EXPECT_EQ(parts[k].time, whole[k].time);
      EXPECT_EQ(to_host(parts[k].y), to_host(whole[k].y));
    }
  }
}

}  // namespace
}  // namespace stiffly
