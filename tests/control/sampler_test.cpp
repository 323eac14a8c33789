// States at given times, whatever the steps.
#include "stiffly/control/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/control/dense_output.hpp"
#include "stiffly/error.hpp"

namespace stiffly {
namespace {

/// x = t³ − t, which a cubic gives back exactly.
State cubic(double t) { return State(t, std::vector{t * t * t - t}, std::vector{3 * t * t - 1}); }

std::vector<State> samples(const std::vector<double>& times, double rate) {
  std::vector<State> out;
  Sampler sampler(SampleTimes::every(times.front(), rate), [&](const State& state) { out.push_back(state); });
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
  for (const double t : {0.0, 0.3, 0.77, 1.1, 5.3}) sampler.see(cubic(t));
  EXPECT_EQ(seen, std::vector<double>(std::begin(wanted), std::end(wanted)));
  Sampler none(SampleTimes::at(0, {}), [](const State&) { FAIL(); });
  none.see(cubic(1));
  EXPECT_TRUE(none.wanted(1e9).empty());
}

// What a method that knows the motion within its step is asked for, and how its answer is used.
TEST(SamplerTest, StatesFromTheStepItselfTakeTheirPlace) {
  std::vector<State> seen;
  Sampler sampler(SampleTimes::every(0, 10), [&](const State& state) { seen.push_back(state); });
  sampler.see(cubic(0));
  EXPECT_EQ(sampler.wanted(0.05), std::vector<double>{});
  EXPECT_EQ(sampler.wanted(0.1), std::vector<double>{}) << "the end of the step has it";
  EXPECT_EQ(sampler.wanted(0.57).size(), 5u);
  EXPECT_EQ(sampler.wanted(0.3), (std::vector<double>{1.0 / 10, 2.0 / 10})) << "after a rejected step";
  std::vector<State> within;
  for (const double t : sampler.wanted(0.3)) within.emplace_back(t, std::vector{7.0}, std::vector{70 * t});
  sampler.see(cubic(0.3), within);
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(host(seen[1].x())[0], 7.0);
  EXPECT_EQ(host(seen[2].v())[0], 70 * (2.0 / 10));
  EXPECT_EQ(host(seen[3].x())[0], host(cubic(0.3).x())[0]);
  EXPECT_THROW(sampler.see(cubic(0.57), std::span<const State>(within).first(1)), InputError);
}

// Such as a shorter step of the method from the beginning of the step.
TEST(SamplerTest, WithinStepsTheGivenFunctionIsAsked) {
  std::vector<State> seen;
  const auto between = [](const State& before, const State& after, double time) {
    return State(time, std::vector{before.time}, std::vector{after.time});
  };
  Sampler sampler(
      SampleTimes::every(0, 10), [&](const State& state) { seen.push_back(state); }, between);
  for (const double t : {0.0, 0.13, 0.3}) sampler.see(cubic(t));
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(to_host(seen[1].y), (std::vector<double>{0, 0.13}));
  EXPECT_EQ(to_host(seen[2].y), (std::vector<double>{0.13, 0.3}));
  EXPECT_EQ(to_host(seen[3].y), to_host(cubic(0.3).y));
}

TEST(SamplerTest, NothingIsTakenTwiceOrLeftOutWhereARunGoesOn) {
  const std::vector<double> times = {0, 0.17, 0.3, 0.48, 0.5, 0.9, 1.3};
  const std::vector<State> whole = samples(times, 20);
  for (std::size_t stop = 0; stop < times.size(); ++stop) {
    std::vector<State> parts;
    const auto sink = [&](const State& state) { parts.push_back(state); };
    Sampler before(SampleTimes::every(0, 20), sink), after(SampleTimes::every(0, 20), sink);
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
