#include "stiffly/scene/vector_expression.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {
Expression read_expression(const Values& values, const std::string& key, double duration) try {
  const Expression expression(values.text(key));
  constexpr int looks = 1000;
  for (int i = 0; i <= looks; ++i) {
    const double t = duration * i / looks;
    const Dual d = expression.at(t);
    if (!std::isfinite(d.value) || !std::isfinite(d.rate))
      throw InputError(
          fmt::format("\"{}\" or its derivative is not finite at t = {} s", values.text(key), t));
  }
  return expression;
} catch (const InputError& error) {
  refuse(values.origin(key), fmt::format("'{}' in {}: {}", key, values.section().title(), error.what()));
}

std::vector<Key> expression_keys(const std::string& unit, const std::string& what,
                                 const std::string& prefix) {
  using enum ValueType;
  std::vector<Key> keys;
  for (const std::string axis : {"x", "y", "z"})
    keys.push_back({.name = prefix + axis,
                    .type = text,
                    .unit = unit,
                    .help = fmt::format("{} {}, an expression of t", what, axis),
                    .fallback = std::string("0")});
  return keys;
}

VectorExpression::VectorExpression(const Values& values, double duration, const std::string& prefix)
    : axes_{read_expression(values, prefix + "x", duration), read_expression(values, prefix + "y", duration),
            read_expression(values, prefix + "z", duration)} {}

}  // namespace stiffly
