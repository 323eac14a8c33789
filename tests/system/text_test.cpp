#include "stiffly/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace stiffly::test {
namespace {

TEST(Text, DurationsHaveUnitsOfTheirSize) {
  EXPECT_EQ(duration_text(2.5e-5), "25 us");
  EXPECT_EQ(duration_text(0.0123), "12.3 ms");
  EXPECT_EQ(duration_text(4.5), "4.5 s");
  EXPECT_EQ(duration_text(1200), "20.0 min");
  EXPECT_EQ(duration_text(72000), "20.0 h");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "-");
}

TEST(Text, ASequenceNamesNeighboursOnce) {
  const std::vector<std::string> names = {"a", "a", "b", "a"};
  EXPECT_EQ(sequence_text(names), "a, then b, then a");
  EXPECT_EQ(sequence_text({}), "");
}

TEST(Text, TheFirstClauseSaysWhatHasHappened) {
  EXPECT_EQ(first_clause("it blew up at t = 1 s: the energy rose; take a smaller step"),
            "it blew up at t = 1 s");
  EXPECT_EQ(first_clause("auto: the result overflows; take a smaller step"), "auto: the result overflows");
  EXPECT_EQ(first_clause("out of time"), "out of time");
  EXPECT_EQ(first_clause(""), "");
}

}  // namespace
}  // namespace stiffly::test
