#include "stiffly/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace stiffly {
namespace {

constexpr double rounding = 1e-9;

/// "10⁻³"
std::string power_of_ten(int exponent) {
  constexpr std::array digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "10⁻" : "10";
  for (const char digit : fmt::format("{}", std::abs(exponent)))
    out += digits[static_cast<std::size_t>(digit - '0')];
  return out;
}

/// "−1.5×10⁹"; an exponent of 0 is not written.
std::string number(double value, int decimals, int exponent) {
  if (value == 0) return "0";
  std::string out = value < 0 ? "−" : "";
  out += fmt::format("{:.{}f}", std::abs(value) / std::pow(10, exponent), decimals);
  return exponent == 0 ? out : out + "×" + power_of_ten(exponent);
}

/// Multiples of `step` from low to high.
std::vector<double> multiples(double low, double high, double step) {
  std::vector<double> out;
  for (double k = std::ceil(low / step - rounding); k <= high / step + rounding; ++k)
    out.push_back(k * step + 0.0);
  return out;
}

/// Multiples of 1, 2 or 5 times a power of ten.
std::vector<Tick> linear_ticks(double low, double high, int most) {
  double step = std::pow(10, std::floor(std::log10((high - low) / most)));
  std::vector<double> values = multiples(low, high, step);
  for (int i = 0; values.size() > static_cast<std::size_t>(most) && i < 12; ++i) {
    step *= i % 3 == 1 ? 2.5 : 2;
    values = multiples(low, high, step);
  }
  const double size = std::max(std::abs(low), std::abs(high));
  const int exponent = size >= 1e5 || size < 1e-3 ? static_cast<int>(std::floor(std::log10(size))) : 0;
  const int decimals = std::max(0, static_cast<int>(std::ceil(exponent - std::log10(step) - rounding)));
  std::vector<Tick> out;
  for (const double value : values) out.push_back({value, number(value, decimals, exponent)});
  return out;
}

/// Every `decades`-th power of ten times each of the factors, between powers of ten.
std::vector<double> logarithmic_values(double low, double high, std::span<const int> factors, int decades) {
  std::vector<double> out;
  for (const double decade : multiples(std::floor(low), high, decades))
    for (const int factor : factors)
      if (const double place = decade + std::log10(factor);
          place >= low - rounding && place <= high + rounding)
        out.push_back(factor * std::pow(10, decade));
  return out;
}

/// As many as fit of: all digits times powers of ten, 1, 2 and 5 times them, powers of ten, every second one
/// and so on. What has too few round values in it is marked like a linear axis.
std::vector<Tick> logarithmic_ticks(double low, double high, int most) {
  static constexpr int all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, some[] = {1, 2, 5}, one[] = {1};
  struct Choice {
    std::span<const int> factors;
    int decades;
  };
  static constexpr std::array<Choice, 12> choices = {{{all, 1},
                                                      {some, 1},
                                                      {one, 1},
                                                      {one, 2},
                                                      {one, 3},
                                                      {one, 5},
                                                      {one, 10},
                                                      {one, 20},
                                                      {one, 30},
                                                      {one, 50},
                                                      {one, 100},
                                                      {one, 200}}};
  const auto values = [&](const Choice& c) { return logarithmic_values(low, high, c.factors, c.decades); };
  const auto* choice = std::ranges::find_if(
      choices, [&](const Choice& c) { return values(c).size() <= static_cast<std::size_t>(most); });
  const std::vector<double> labelled = choice == choices.end() ? std::vector<double>{} : values(*choice);
  if (labelled.size() < 2) return linear_ticks(std::pow(10, low), std::pow(10, high), most);

  const bool plain = labelled.front() >= 0.99e-3 && labelled.back() <= 1.01e4;
  std::vector<Tick> out;
  for (const double value : values(choice->decades > 1 ? choices[2] : choices[0])) {
    const bool has_label = std::ranges::any_of(
        labelled, [&](double other) { return std::abs(value - other) <= rounding * value; });
    const auto exponent = static_cast<int>(std::floor(std::log10(value) + rounding));
    const auto factor = static_cast<int>(std::lround(value / std::pow(10, exponent)));
    out.push_back({value, !has_label    ? ""
                          : plain       ? fmt::format("{:g}", value)
                          : factor == 1 ? power_of_ten(exponent)
                                        : number(value, 0, exponent)});
  }
  return out;
}

}  // namespace

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  const double size = std::abs(value);
  const std::string rounded = fmt::format("{:.{}e}", size, digits - 1), sign = value < 0 ? "−" : "";
  if (size == 0 || (size >= 0.99e-3 && size < 1e5)) return sign + fmt::format("{:g}", std::stod(rounded));
  const std::size_t e = rounded.find('e');
  const std::string factor = fmt::format("{:g}", std::stod(rounded.substr(0, e)));
  return sign + (factor == "1" ? "" : factor + "×") + power_of_ten(std::stoi(rounded.substr(e + 1)));
}

bool Axis::shows(double value) const { return std::abs(value) <= largest && (!logarithmic_ || value > 0); }

double Axis::scaled(double value) const { return logarithmic_ ? std::log10(value) : value; }

void Axis::include(double value) {
  if (!shows(value)) return;
  low_ = empty_ ? scaled(value) : std::min(low_, scaled(value));
  high_ = empty_ ? scaled(value) : std::max(high_, scaled(value));
  empty_ = false;
}

std::pair<double, double> Axis::ends() const {
  const double size = std::max(std::abs(low_), std::abs(high_));
  if (high_ - low_ > rounding * size) {
    const double room = 0.03 * (high_ - low_);
    return {low_ - room, high_ + room};
  }
  const double room = logarithmic_ || size == 0 ? 1 : 0.1 * size;  // a single value
  return {low_ - room, high_ + room};
}

double Axis::place(double value) const {
  const auto [low, high] = ends();
  return (scaled(value) - low) / (high - low);
}

std::vector<Tick> Axis::ticks(int most) const {
  const auto [low, high] = ends();
  return logarithmic_ ? logarithmic_ticks(low, high, most) : linear_ticks(low, high, most);
}

}  // namespace stiffly
