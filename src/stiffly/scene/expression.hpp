// Functions of time written as text: "0.1 * sin(2*pi*t)".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stiffly {

/// A value and its derivative.
struct Dual {
  double value = 0, rate = 0;
};

/// Arithmetic with + − * / ^ and parentheses, numbers, t, pi, e, and the functions sin, cos, tan, asin, acos,
/// atan, sinh, cosh, tanh, exp, log, sqrt, abs, min, max, step (0 below 0, then 1) and smoothstep (from 0 at
/// 0 to 1 at 1, 3s² − 2s³ between). The derivative is carried along with the value [dual numbers].
class Expression {
 public:
  /// Throws InputError with the column of whatever is wrong.
  explicit Expression(std::string_view text);

  Dual at(double t) const;
  /// Whether t occurs in it.
  bool depends_on_time() const { return depends_on_time_; }

 private:
  friend class ExpressionParser;
  enum class Operation { number, time, negate, add, subtract, multiply, divide, power, call };
  struct Instruction {
    Operation operation;
    double number = 0;         ///< of `number`
    std::size_t function = 0;  ///< of `call`
  };

  std::vector<Instruction> program_;  ///< operands before operators
  bool depends_on_time_ = false;
};

}  // namespace stiffly
