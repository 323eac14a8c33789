// Work that ends when its time is over.
#include "stiffly/work_meter.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "stiffly/error.hpp"

namespace stiffly::test {
namespace {

TEST(WorkMeter, LooksAtTheInnermostLimitFirstAndAtAllOthers) {
  double now = 0;
  const auto clock = [&] { return now; };
  WorkMeter meter;
  now = 100;
  EXPECT_NO_THROW(meter.look()) << "without a limit";
  {
    const TimeLimit outer(meter, 10, clock);
    std::optional<TimeLimit> inner;
    inner.emplace(meter, 1, clock);
    now = 100.5;
    EXPECT_NO_THROW(meter.look());
    now = 102;
    EXPECT_THROW(meter.look(), OutOfTime);
    inner.reset();
    EXPECT_NO_THROW(meter.look());
    inner.emplace(meter, 100, clock);
    now = 110;
    EXPECT_THROW(meter.look(), OutOfTime) << "the outer one is over";
    try {
      meter.look();
    } catch (const OutOfTime& error) {
      EXPECT_NE(std::string(error.what()).find("10 s"), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(meter.look());
}

TEST(WorkMeter, SmallWorkAsksTheClockNowAndThen) {
  int asked = 0;
  WorkMeter meter;
  const TimeLimit limit(meter, 1, [&] { return ++asked, 0.0; });
  const int before = asked;
  for (int i = 0; i < 160; ++i) meter.look(++meter.product);
  EXPECT_EQ(asked - before, 10);
  EXPECT_EQ(meter.product, 160);
}

}  // namespace
}  // namespace stiffly::test
