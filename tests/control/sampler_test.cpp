// States at given times, whatever the steps.
#include "stiffly/control/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffly {
namespace {

/// x = t³ − t, which a cubic gives back exactly.
State cubic(double t) { return State(t, std::vector{t * t * t - t}, std::vector{3 * t * t - 1}); }

/// A method that knows the motion within its steps.
std::vector<State> exactly(std::span<const double> times) {
  std::vector<State> out;
  for (const double t : times) out.push_back(cubic(t));
  return out;
}

std::vector<State> samples(const std::vector<double>& times, double rate) {
  std::vector<State> out;
  Sampler sampler(SampleTimes::every(times.front(), rate), [&](const State& state) { out.push_back(state); });
  for (const double t : times) sampler.see(cubic(t), exactly);
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
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_EQ(host(found[k].x())[0], host(cubic(times[k]).x())[0]) << k;
}

TEST(SamplerTest, AListOfTimesEnds) {
  const double wanted[] = {0.07, 0.3, 0.31, 0.9};
  std::vector<double> seen;
  Sampler sampler(SampleTimes::at(0, wanted), [&](const State& state) {
    seen.push_back(state.time);
    EXPECT_NEAR(host(state.x())[0], std::pow(state.time, 3) - state.time, 1e-12);
  });
  for (const double t : {0.0, 0.3, 0.77, 1.1, 5.3}) sampler.see(cubic(t), exactly);
  EXPECT_EQ(seen, std::vector<double>(std::begin(wanted), std::end(wanted)));
  Sampler none(SampleTimes::at(0, {}), [](const State&) { FAIL(); });
  none.see(cubic(1), exactly);
}

TEST(SamplerTest, AsksForTheTimesWithinAStepAtOnce) {
  std::vector<State> seen;
  std::vector<std::vector<double>> asked;
  const auto within = [&](std::span<const double> times) {
    asked.emplace_back(times.begin(), times.end());
    std::vector<State> out;
    for (const double t : times) out.emplace_back(t, std::vector{7.0}, std::vector{70 * t});
    return out;
  };
  Sampler sampler(SampleTimes::every(0, 10), [&](const State& state) { seen.push_back(state); });
  for (const double t : {0.0, 0.07, 0.1, 0.3}) sampler.see(cubic(t), within);
  EXPECT_EQ(asked, (std::vector<std::vector<double>>{{2.0 / 10}})) << "the ends of steps are not asked for";
  sampler.see(cubic(0.57), within);
  EXPECT_EQ(asked.back(), (std::vector<double>{4.0 / 10, 5.0 / 10}));
  ASSERT_EQ(seen.size(), 6u);
  EXPECT_EQ(host(seen[2].x())[0], 7.0);
  EXPECT_EQ(host(seen[5].v())[0], 70 * (5.0 / 10));
  EXPECT_EQ(host(seen[3].x())[0], host(cubic(0.3).x())[0]);
}

TEST(SamplerTest, NothingIsTakenTwiceOrLeftOutWhereARunGoesOn) {
  const std::vector<double> times = {0, 0.17, 0.3, 0.48, 0.5, 0.9, 1.3};
  const std::vector<State> whole = samples(times, 20);
  for (std::size_t stop = 0; stop < times.size(); ++stop) {
    std::vector<State> parts;
    const auto sink = [&](const State& state) { parts.push_back(state); };
    Sampler before(SampleTimes::every(0, 20), sink), after(SampleTimes::every(0, 20), sink);
    for (std::size_t i = 0; i <= stop; ++i) before.see(cubic(times[i]), exactly);
    before.see(cubic(times[stop]), exactly);
    after.resume(cubic(times[stop]));
    EXPECT_EQ(after.count(), before.count());
    for (std::size_t i = stop; i < times.size(); ++i) after.see(cubic(times[i]), exactly);
    ASSERT_EQ(parts.size(), whole.size());
    for (std::size_t k = 0; k < whole.size(); ++k) {
      EXPECT_EQ(parts[k].time, whole[k].time);
      EXPECT_EQ(to_host(parts[k].y), to_host(whole[k].y));
    }
  }
}

}  // namespace
}  // namespace stiffly
