// The way to an error bound, with runs whose errors are known.
#include "stiffly/results/error_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <random>
#include <string>

#include "stiffly/error.hpp"

namespace stiffly::test {
namespace {

using Result = std::function<double(double tolerance)>;  // exact: 0

/// `alike`: whether all runs are by one method.
template <class AnyResult>
ErrorSearch search_with(double bound, const AnyResult& result, bool alike = true) {
  ErrorSearch search(bound);
  std::optional<decltype(result(bound))> before;
  while (search.verdict() == ErrorSearch::Verdict::open) {
    const auto now = result(search.tolerance());
    search.add(alike ? "one" : "number " + std::to_string(search.runs().size()), 0.1,
               before ? std::optional(std::abs(now - *before)) : std::nullopt);
    before = now;
  }
  return search;
}

TEST(ErrorSearchTest, MeetsTheBoundWhereErrorsFallWithTheTolerance) {
  for (const double constant : {0.03, 0.3, 1.7, 9.0, 60.0})
    for (const double power : {0.5, 0.8, 1.0, 1.3})
      for (const double bound : {0.07, 1e-2, 1e-3, 3e-5}) {
        if (std::pow(bound / constant, 1 / power) < 1e-10) continue;  // beyond what rounding allows
        const Result result = [&](double t) { return constant * std::pow(t, power); };
        const ErrorSearch search = search_with(bound, result);
        ASSERT_EQ(search.verdict(), ErrorSearch::Verdict::met) << constant << " " << power << " " << bound;
        const double truth = result(search.runs().back().tolerance);
        EXPECT_LE(truth, bound) << constant << " " << power;
        EXPECT_LE(truth, 1.01 * search.estimate()) << constant << " " << power;
        EXPECT_LE(search.estimate(), bound);
        EXPECT_LE(search.runs().size(), 11u);
      }
}

/// Run after run by another method, whose error has any size between 0.2 and 5 tolerances, in any direction
/// of a plane.
TEST(ErrorSearchTest, MeetsTheBoundWhereMethodsChange) {
  constexpr int all = 2000;
  int missed = 0;
  for (unsigned seed = 0; seed < all; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> size(std::log(0.2), std::log(5)), angle(-3.1, 3.1);
    std::complex<double> last;
    const auto result = [&](double t) {
      return last = std::polar(t * std::exp(size(random)), angle(random));
    };
    const ErrorSearch search = search_with(1e-3, result, false);
    missed += search.verdict() == ErrorSearch::Verdict::met && std::abs(last) > 1e-3;
  }
  EXPECT_LE(missed, all / 500) << "of " << all;
}

// Errors of either sign and of changing size, as runs with other step sequences have.
TEST(ErrorSearchTest, MeetsTheBoundWhereErrorsScatter) {
  int runs = 0, missed = 0;
  for (int seed = 0; seed < 200; ++seed) {
    int call = 0;
    std::optional<double> last;
    const Result result = [&](double t) {
      const double scatter = std::pow(2, std::sin(17.1 * seed + 5.3 * ++call));
      const double sign = std::sin(3.7 * seed + 11.9 * call) > 0 ? 1 : -1;
      return *(last = sign * scatter * t);
    };
    const ErrorSearch search = search_with(2e-3, result);
    ++runs;
    if (search.verdict() == ErrorSearch::Verdict::met && std::abs(*last) > 2e-3) ++missed;
  }
  EXPECT_EQ(missed, 0) << "of " << runs;
}

TEST(ErrorSearchTest, GivesUpWhereRunsDoNotComeCloser) {
  int call = 0;
  const ErrorSearch chaos = search_with(1e-2, [&](double) { return std::sin(7.3 * ++call); });
  EXPECT_EQ(chaos.verdict(), ErrorSearch::Verdict::hopeless);
  EXPECT_GT(chaos.estimate(), 1e-2);
  EXPECT_LE(chaos.runs().size(), 12u);
}

TEST(ErrorSearchTest, RefusesBoundsThatAreNone) {
  for (const double bound : {0.0, -1e-3, std::nan("")}) EXPECT_THROW(ErrorSearch{bound}, InputError);
}

}  // namespace
}  // namespace stiffly::test
