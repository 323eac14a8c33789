#include "stiffly/study/study_clock.hpp"

#include <gtest/gtest.h>

namespace stiffly::test {

using namespace study;
namespace {

double now = 0;  // of a clock that is set by hand

TEST(StopwatchTest, CountsFromItsMakingWithoutWhatIsOutside) {
  now = 7.3;
  Stopwatch watch([] { return now; });
  EXPECT_EQ(watch.seconds(), 0);
  now += 0.21;
  EXPECT_NEAR(watch.seconds(), 0.21, 1e-12);
  watch.outside([] { now += 3.7; });
  EXPECT_NEAR(watch.seconds(), 0.21, 1e-12);
  now += 0.11;
  EXPECT_NEAR(watch.seconds(), 0.32, 1e-12);
}

TEST(StudyClockTest, OfOneThreadIsTheProcessors) {
  const int before = thread_count();
  set_thread_count(1);
  EXPECT_EQ(study_watch().clock(), &processor_seconds);
  set_thread_count(2);
  EXPECT_EQ(study_watch().clock(), &passing_seconds);
  set_thread_count(before);
}

// They need not run alike, and may stand still for a while; but computing moves both on.
TEST(StudyClockTest, BothClocksGoOn) {
  for (const Stopwatch::Clock clock : {&processor_seconds, &passing_seconds}) {
    const double start = clock();
    double later = start;
    while (later == start) later = clock();
    EXPECT_GT(later, start);
  }
}

}  // namespace
}  // namespace stiffly::test
