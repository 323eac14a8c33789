#include "stiffly/study/study_clock.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace stiffly::test {

using namespace study;
namespace {

void sleep_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(80)); }
void compute_for(double seconds) {
  for (const double start = processor_seconds(); processor_seconds() < start + seconds;)
    ;
}

TEST(StudyClockTest, OfOneThreadIsTheProcessors) {
  const int before = thread_count();
  set_thread_count(1);
  StudyClock one;
  set_thread_count(2);
  const StudyClock two;
  set_thread_count(before);
  sleep_a_while();
  compute_for(0.02);
  EXPECT_GE(one.seconds(), 0.02);
  EXPECT_GE(two.seconds(), 0.08);  // the sleep; the clocks of processors and walls need not run alike
  EXPECT_LT(one.seconds(), two.seconds()) << "waiting is no work";
  const double now = one.seconds();
  one.outside([] { compute_for(0.05); });
  EXPECT_LT(one.seconds(), now + 0.05);
}

}  // namespace
}  // namespace stiffly::test
