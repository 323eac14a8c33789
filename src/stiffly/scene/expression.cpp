#include "stiffly/scene/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>

#include "stiffly/error.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.rate + b.rate}; }
Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.rate - b.rate}; }
Dual operator*(Dual a, Dual b) { return {a.value * b.value, a.rate * b.value + a.value * b.rate}; }
Dual operator/(Dual a, Dual b) {
  const double quotient = a.value / b.value;
  return {quotient, (a.rate - quotient * b.rate) / b.value};
}

/// f(a) with f'(a), where a constant has no rate even if f' is infinite.
Dual chain(double value, double slope, Dual a) { return {value, a.rate == 0 ? 0 : slope * a.rate}; }

// d(aᵇ) = b aᵇ⁻¹ da + aᵇ log(a) db
Dual power(Dual a, Dual b) {
  const double value = std::pow(a.value, b.value);
  const Dual base = chain(value, b.value * std::pow(a.value, b.value - 1), a);
  return {value, base.rate + (b.rate == 0 ? 0 : value * std::log(a.value) * b.rate)};
}

struct Function {
  const char* name;
  std::size_t arguments;
  Dual (*apply)(Dual a, Dual b);  ///< b of functions of two
};

const Function functions[] = {
    {"sin", 1, [](Dual a, Dual) { return chain(std::sin(a.value), std::cos(a.value), a); }},
    {"cos", 1, [](Dual a, Dual) { return chain(std::cos(a.value), -std::sin(a.value), a); }},
    {"tan", 1, [](Dual a, Dual) { return chain(std::tan(a.value), 1 + std::pow(std::tan(a.value), 2), a); }},
    {"asin", 1,
     [](Dual a, Dual) { return chain(std::asin(a.value), 1 / std::sqrt(1 - a.value * a.value), a); }},
    {"acos", 1,
     [](Dual a, Dual) { return chain(std::acos(a.value), -1 / std::sqrt(1 - a.value * a.value), a); }},
    {"atan", 1, [](Dual a, Dual) { return chain(std::atan(a.value), 1 / (1 + a.value * a.value), a); }},
    {"sinh", 1, [](Dual a, Dual) { return chain(std::sinh(a.value), std::cosh(a.value), a); }},
    {"cosh", 1, [](Dual a, Dual) { return chain(std::cosh(a.value), std::sinh(a.value), a); }},
    {"tanh", 1,
     [](Dual a, Dual) { return chain(std::tanh(a.value), 1 - std::pow(std::tanh(a.value), 2), a); }},
    {"exp", 1, [](Dual a, Dual) { return chain(std::exp(a.value), std::exp(a.value), a); }},
    {"log", 1, [](Dual a, Dual) { return chain(std::log(a.value), 1 / a.value, a); }},
    {"sqrt", 1, [](Dual a, Dual) { return chain(std::sqrt(a.value), 0.5 / std::sqrt(a.value), a); }},
    {"abs", 1,
     [](Dual a, Dual) {
       return a.value < 0 ? Dual{-a.value, -a.rate} : a;
     }},
    {"min", 2, [](Dual a, Dual b) { return b.value < a.value ? b : a; }},
    {"max", 2, [](Dual a, Dual b) { return b.value > a.value ? b : a; }},
    {"step", 1,
     [](Dual a, Dual) {
       return Dual{a.value < 0 ? 0.0 : 1.0, 0.0};
     }},
    {"smoothstep", 1,
     [](Dual a, Dual) {
       const double s = std::clamp(a.value, 0.0, 1.0);
       return chain(s * s * (3 - 2 * s), 6 * s * (1 - s), a);
     }},
};

}  // namespace

/// sum = product {(+|−) product}, product = signed {(*|/) signed}, signed = {+|−} power,
/// power = atom [^ signed], atom = number | name | name(sum, …) | (sum).
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Expression& out) : text_(text), out_(out) {}

  void parse() {
    sum();
    skip_space();
    if (at_ < text_.size()) fail(fmt::format("'{}' is not expected here", text_[at_]));
  }

 private:
  using Operation = Expression::Operation;

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("in \"{}\", column {}: {}", text_, at_ + 1, what));
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void emit(Operation operation, double number = 0, std::size_t function = 0) {
    out_.program_.push_back({operation, number, function});
  }

  void sum() {
    if (++depth_ > deepest) fail("parentheses are nested too deeply");
    product();
    for (;;)
      if (take('+'))
        product(), emit(Operation::add);
      else if (take('-'))
        product(), emit(Operation::subtract);
      else
        break;
    --depth_;
  }
  void product() {
    signed_power();
    for (;;)
      if (take('*'))
        signed_power(), emit(Operation::multiply);
      else if (take('/'))
        signed_power(), emit(Operation::divide);
      else
        return;
  }
  void signed_power() {
    bool negative = false;
    for (;;)
      if (take('-'))
        negative = !negative;
      else if (!take('+'))
        break;
    atom();
    if (take('^')) {
      if (++depth_ > deepest) fail("powers are nested too deeply");
      signed_power();
      --depth_;
      emit(Operation::power);
    }
    if (negative) emit(Operation::negate);
  }
  void atom() {
    skip_space();
    if (take('(')) {
      sum();
      if (!take(')')) fail("a ')' is missing");
      return;
    }
    if (at_ >= text_.size()) fail("something is missing");
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(c) || c == '.')
      number();
    else if (std::isalpha(c))
      name();
    else
      fail(fmt::format("a number, t or a function is expected, not '{}'", text_[at_]));
  }
  void number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("this is not a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    emit(Operation::number, value);
  }
  void name() {
    const std::size_t begin = at_;
    std::size_t end = at_;
    while (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end]))) ++end;
    const std::string word(text_.substr(begin, end - begin));
    const auto known = std::find_if(std::begin(functions), std::end(functions),
                                    [&](const Function& f) { return f.name == word; });
    if (word == "t") {
      at_ = end;
      out_.depends_on_time_ = true;
      emit(Operation::time);
    } else if (word == "pi" || word == "e") {
      at_ = end;
      emit(Operation::number, word == "pi" ? std::numbers::pi : std::numbers::e);
    } else if (known == std::end(functions)) {
      std::vector<std::string> names = {"t", "pi", "e"};
      for (const Function& f : functions) names.emplace_back(f.name);
      fail(fmt::format("'{}' is unknown; did you mean '{}'?", word, nearest(word, names)));
    } else {
      at_ = end;
      if (!take('(')) fail(fmt::format("'{}' needs its argument in parentheses", word));
      sum();
      for (std::size_t i = 1; i < known->arguments; ++i) {
        if (!take(',')) fail(fmt::format("'{}' needs {} arguments", word, known->arguments));
        sum();
      }
      if (!take(')')) fail("a ')' is missing");
      emit(Operation::call, 0, static_cast<std::size_t>(known - std::begin(functions)));
    }
  }

  static constexpr int deepest = 100;
  std::string_view text_;
  Expression& out_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Expression::Expression(std::string_view text) { ExpressionParser(text, *this).parse(); }

Dual Expression::at(double t) const {
  std::vector<Dual> stack;
  const auto pop = [&] {
    const Dual top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Instruction& i : program_) {
    if (i.operation == Operation::number || i.operation == Operation::time) {
      stack.push_back(i.operation == Operation::time ? Dual{t, 1} : Dual{i.number, 0});
      continue;
    }
    const bool two = i.operation == Operation::call ? functions[i.function].arguments == 2
                                                    : i.operation != Operation::negate;
    const Dual b = two ? pop() : Dual{}, a = pop();
    switch (i.operation) {
      case Operation::negate:
        stack.push_back({-a.value, -a.rate});
        break;
      case Operation::add:
        stack.push_back(a + b);
        break;
      case Operation::subtract:
        stack.push_back(a - b);
        break;
      case Operation::multiply:
        stack.push_back(a * b);
        break;
      case Operation::divide:
        stack.push_back(a / b);
        break;
      case Operation::power:
        stack.push_back(power(a, b));
        break;
      default:
        stack.push_back(functions[i.function].apply(a, b));
    }
  }
  return stack.back();
}

}  // namespace stiffly
