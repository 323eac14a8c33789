// Ticks: round, in order, few enough, and labelled with their own value.
#include "stiffly/plot/axis.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace stiffly::test {
namespace {

void replace(std::string& text, const std::string& part, const std::string& by) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part))
    text.replace(at, part.size(), by);
}

/// The number that a person reads in a label, "−1.5×10⁻⁹".
double read(std::string label) {
  static const std::vector<std::string> superscripts = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  replace(label, "−", "-");
  replace(label, "⁻", "m");
  for (std::size_t digit = 0; digit < superscripts.size(); ++digit)
    replace(label, superscripts[digit], fmt::format("s{}", digit));
  // What was 10⁻¹² is now 10ms1s2.
  if (const std::size_t power = label.find_first_of("ms"); power != std::string::npos) {
    std::string factor = label.substr(0, power - 2), exponent = label.substr(power);
    replace(factor, "×", "");
    replace(exponent, "m", "-");
    replace(exponent, "s", "");
    label = factor + (factor.empty() || factor == "-" ? "1" : "") + "e" + exponent;
  }
  std::size_t end = 0;
  const double out = std::stod(label, &end);
  EXPECT_EQ(end, label.size()) << label;
  return out;
}

Axis axis_over(bool logarithmic, double a, double b) {
  Axis out(logarithmic);
  out.include(a);
  out.include(b);
  return out;
}

void expect_good_ticks(const Axis& axis, int most, const std::string& what) {
  const std::vector<Tick> ticks = axis.ticks(most);
  std::set<std::string> labels;
  double before = -std::numeric_limits<double>::infinity(), spacing = std::numeric_limits<double>::infinity();
  std::vector<double> labelled;
  for (const Tick& tick : ticks) {
    EXPECT_GT(tick.value, before) << what;
    before = tick.value;
    EXPECT_GE(axis.place(tick.value), -1e-6) << what << ": " << tick.label;
    EXPECT_LE(axis.place(tick.value), 1 + 1e-6) << what << ": " << tick.label;
    if (tick.label.empty()) continue;
    EXPECT_TRUE(labels.insert(tick.label).second) << what << ": twice " << tick.label;
    if (!labelled.empty()) spacing = std::min(spacing, tick.value - labelled.back());
    labelled.push_back(tick.value);
  }
  EXPECT_LE(labelled.size(), static_cast<std::size_t>(most)) << what;
  EXPECT_GE(labelled.size(), 2u) << what;
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    EXPECT_NEAR(read(tick.label), tick.value, 1e-6 * spacing + 1e-12 * std::abs(tick.value)) << what;
  }
}

TEST(Axis, LinearTicksAreRoundAndLabelledWithTheirValue) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1), exponent(-12, 12);
  for (int k = 0; k < 2000; ++k) {
    const double centre = uniform(random) * std::pow(10, exponent(random)),
                 half = std::max(std::pow(10, exponent(random)), 1e-7 * std::abs(centre));
    for (const int most : {5, 9})
      expect_good_ticks(axis_over(false, centre - half, centre + half), most,
                        fmt::format("{} ± {}, {}", centre, half, most));
  }
}

TEST(Axis, LogarithmicTicksTooOverAnyRange) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> exponent(-60, 60), decades(-2, 2.3);
  for (int k = 0; k < 2000; ++k) {
    const double low = std::pow(10, exponent(random)),
                 high = low * std::pow(10, std::pow(10, decades(random)));
    for (const int most : {5, 9})
      expect_good_ticks(axis_over(true, low, high), most, fmt::format("{} … {}, {}", low, high, most));
  }
}

TEST(Axis, LogarithmicTicksAreThoseOfAHandbook) {
  const auto labels = [](double low, double high) {
    std::string out;
    for (const Tick& tick : axis_over(true, low, high).ticks(9))
      if (!tick.label.empty()) out += tick.label + " ";
    return out;
  };
  EXPECT_EQ(labels(1e4, 1e8), "10⁴ 10⁵ 10⁶ 10⁷ 10⁸ ");
  EXPECT_EQ(labels(1e-12, 1), "10⁻¹² 10⁻¹⁰ 10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 10⁰ ");
  EXPECT_EQ(labels(0.03, 3), "0.05 0.1 0.2 0.5 1 2 ");
  EXPECT_EQ(labels(0.01, 10), "0.01 0.1 1 10 ");
  EXPECT_EQ(labels(3e-7, 8e-7), "3×10⁻⁷ 4×10⁻⁷ 5×10⁻⁷ 6×10⁻⁷ 7×10⁻⁷ 8×10⁻⁷ ");
}

TEST(Axis, SingleValuesNoneAndHugeOnesHaveAScaleToo) {
  for (const bool logarithmic : {false, true}) {
    for (const double value : {1.0, 5.3e-7, 0.07, 9e12}) {
      const Axis axis = axis_over(logarithmic, value, value);
      EXPECT_NEAR(axis.place(value), 0.5, 1e-9);
      expect_good_ticks(axis, 9, fmt::format("{} alone", value));
    }
    EXPECT_GE(Axis(logarithmic).ticks(9).size(), 2u);
  }
  expect_good_ticks(axis_over(false, 0, 0), 9, "zero alone");
  expect_good_ticks(axis_over(false, -1e300, 1e300), 9, "the largest");
}

TEST(Axis, KnowsWhatHasNoPlace) {
  const double infinity = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  Axis axis(true);
  for (const double value : {infinity, -infinity, nan, 0.0, -1.0}) {
    EXPECT_FALSE(axis.shows(value));
    axis.include(value);
  }
  axis.include(2);
  EXPECT_NEAR(axis.place(2), 0.5, 1e-12);
  EXPECT_TRUE(Axis(false).shows(-1));
  EXPECT_TRUE(Axis::failed(infinity));
  EXPECT_FALSE(Axis::failed(nan));
  EXPECT_FALSE(Axis::failed(-infinity));
}

TEST(Axis, NumbersInWords) {
  for (const auto& [value, digits, text] : {std::tuple{0.25, 2, "0.25"},
                                            {1000.0, 4, "1000"},
                                            {1e5, 4, "10⁵"},
                                            {1e4, 4, "10000"},
                                            {1234.0, 2, "1200"},
                                            {9.5e-7, 2, "9.5×10⁻⁷"},
                                            {9.99e-7, 2, "10⁻⁶"},
                                            {-2.5e9, 4, "−2.5×10⁹"},
                                            {-0.5, 4, "−0.5"},
                                            {0.0, 4, "0"},
                                            {0.001, 4, "0.001"},
                                            {std::numeric_limits<double>::infinity(), 4, "–"}})
    EXPECT_EQ(number_text(value, digits), text);
}

}  // namespace
}  // namespace stiffly::test
