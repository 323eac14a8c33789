#include "stiffly/study/search.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffly::test {

using namespace study;
namespace {

struct Count {
  SearchResult found;
  int calls = 0;
};

template <class Judge>
Count search(const SearchRange& range, const Judge& judge) {
  Count out;
  out.found = find_largest(range, [&](double h) {
    ++out.calls;
    return judge(h);
  });
  return out;
}

Verdict if_below(double error, double bound) { return error <= bound ? Verdict::pass : Verdict::fail; }

TEST(Search, FindsTheLargestStepOfAnErrorCurve) {
  for (const int order : {1, 2, 4})
    for (const double bound : {0.3, 1e-2, 1e-4}) {
      const auto judge = [&](double h) { return if_below(7 * std::pow(h, order), bound); };
      const double exact = std::pow(bound / 7, 1.0 / order);
      const Count c = search({.largest = 1}, judge);
      ASSERT_EQ(c.found.verdict, Verdict::pass);
      EXPECT_LE(c.found.setting, exact * (1 + 1e-12));
      EXPECT_GT(c.found.setting, exact / 1.1);
      // halvings from 1, three bisections of a factor 2 down to 1.1, and one look below
      EXPECT_LE(c.calls, std::ceil(std::log2(1 / exact)) + 1 + 3 + 1) << order << " " << bound;
    }
}

TEST(Search, LuckDoesNotCount) {
  // h² but for a narrow dip around 0.25, which the way down from 1 hits exactly.
  const auto judge = [](double h) { return if_below(h > 0.24 && h < 0.26 ? 0 : h * h, 1e-4); };
  const Count c = search({.largest = 1}, judge);
  ASSERT_EQ(c.found.verdict, Verdict::pass);
  EXPECT_LE(c.found.setting, 0.01 + 1e-12);
  EXPECT_GT(c.found.setting, 0.01 / 1.1);
}

TEST(Search, AWideBandThatPassesIsAnAnswer) {
  // fails in a gap (a resonance), passes above it: the largest that passes together with its neighbour
  const auto judge = [](double h) { return if_below(h > 0.05 && h < 0.1 ? 1 : h, 0.4); };
  const Count c = search({.largest = 1}, judge);
  EXPECT_GT(c.found.setting, 0.4 / 1.1);
  EXPECT_LE(c.found.setting, 0.4);
}

TEST(Search, TheLargestMayDo) {
  const Count c = search({.largest = 2}, [](double) { return Verdict::pass; });
  EXPECT_EQ(c.found.setting, 2);
  EXPECT_EQ(c.calls, 2);
}

TEST(Search, EndsWhereNothingPassesOrTimeIsOver) {
  const Count never = search({.largest = 1, .smallest = 1e-3}, [](double) { return Verdict::fail; });
  EXPECT_EQ(never.found.verdict, Verdict::fail);
  EXPECT_LE(never.calls, 10);
  const Count late =
      search({.largest = 1}, [](double h) { return h > 0.1 ? Verdict::fail : Verdict::out_of_time; });
  EXPECT_EQ(late.found.verdict, Verdict::out_of_time);
  EXPECT_EQ(late.found.setting, 0.03125);
  // one late run (a solver that struggles with long steps) does not end it
  const Count once =
      search({.largest = 1}, [](double h) { return h == 0.5 ? Verdict::out_of_time : if_below(h, 0.3); });
  EXPECT_EQ(once.found.verdict, Verdict::pass);
}

/// Where even one step does not end in time those close to it are not tried.
TEST(Search, FarOffSettingsAreSkipped) {
  const auto judge = [](double h) { return h > 1e-3 ? Verdict::far : if_below(h, 1e-4); };
  const Count c = search({.largest = 1}, judge);
  ASSERT_EQ(c.found.verdict, Verdict::pass);
  EXPECT_LE(c.found.setting, 1e-4);
  EXPECT_GT(c.found.setting, 1e-4 / 1.1);
  EXPECT_LE(c.calls, 4 + 3 + 3 + 1) << "down by 8, then by 2, then bisections and one look below";
  const Count never = search({.largest = 1, .smallest = 1e-3}, [](double) { return Verdict::far; });
  EXPECT_EQ(never.found.verdict, Verdict::out_of_time);
}

}  // namespace
}  // namespace stiffly::test
