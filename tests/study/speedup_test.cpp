#include "stiffly/study/speedup.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffly::test {

using namespace study;
namespace {

/// One run, of a simulated second where nothing else is said.
ComparisonEntry entry(Verdict verdict, double seconds, double simulated = 1) {
  Measurement run;
  run.error = verdict == Verdict::pass ? 0.01 : INFINITY;
  run.seconds = seconds;
  run.simulated_seconds = simulated;
  run.out_of_time = verdict == Verdict::out_of_time;
  return {.name = {}, .verdict = verdict, .chosen = run, .fastest = run, .trials = {run}};
}

const ComparisonEntry fast = entry(Verdict::pass, 2), slow = entry(Verdict::pass, 12),
                      cut_off = entry(Verdict::out_of_time, 20), no_step = entry(Verdict::out_of_time, 20, 0),
                      failed = entry(Verdict::fail, 1);

TEST(Speedup, OfTwoThatMetTheBoundIsTheRatioOfTheirCosts) {
  const Speedup s = speedup(fast, slow);
  EXPECT_DOUBLE_EQ(s.least, 6);
  EXPECT_DOUBLE_EQ(s.most, 6);
  EXPECT_EQ(describe(s), "6");
  EXPECT_EQ(standing(s, 6), Standing::holds);
  EXPECT_EQ(standing(s, 6.1), Standing::refuted);
}

TEST(Speedup, OverOneThatWasCutOffHasNoUpperBound) {
  const Speedup s = speedup(fast, cut_off);
  EXPECT_EQ(describe(s), "at least 10");
  EXPECT_EQ(standing(s, 9), Standing::holds);
  EXPECT_EQ(standing(s, 43), Standing::open);
}

TEST(Speedup, OfOneThatWasCutOffHasNoLowerBound) {
  const Speedup s = speedup(cut_off, slow);
  EXPECT_EQ(describe(s), "at most 0.6");
  EXPECT_EQ(standing(s, 0.5), Standing::open);
  EXPECT_EQ(standing(s, 5), Standing::refuted);
}

TEST(Speedup, OfTwoThatWereCutOffIsOpen) {
  const Speedup s = speedup(cut_off, cut_off);
  EXPECT_EQ(describe(s), "unknown");
  EXPECT_EQ(standing(s, 1e-3), Standing::open);
  EXPECT_EQ(standing(s, 1e3), Standing::open);
}

TEST(Speedup, OfOneThatDidNotEndAStepIsUnknown) {
  for (const Speedup& s : {speedup(fast, no_step), speedup(no_step, slow), speedup(no_step, no_step)}) {
    EXPECT_EQ(describe(s), "unknown");
    EXPECT_EQ(standing(s, 5), Standing::open);
  }
}

TEST(Speedup, OfOneThatFailedIsNone) {
  EXPECT_EQ(standing(speedup(failed, slow), 0.1), Standing::refuted);
  EXPECT_EQ(standing(speedup(failed, cut_off), 0.1), Standing::refuted);
}

TEST(Speedup, OfSeveralTheLeastCounts) {
  EXPECT_LT(Standing::refuted, Standing::open);
  EXPECT_LT(Standing::open, Standing::holds);
}

}  // namespace
}  // namespace stiffly::test
