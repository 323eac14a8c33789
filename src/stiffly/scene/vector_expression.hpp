// Vectors that change in time as a scene file says.
#pragma once

#include <algorithm>
#include <array>
#include <Eigen/Core>
#include <string>

#include "stiffly/scene/expression.hpp"
#include "stiffly/scene/value.hpp"

namespace stiffly {

/// The value of a text key, which must be finite up to `duration`, as must its derivative. Throws InputError
/// at the key's line.
Expression read_expression(const Values& values, const std::string& key, double duration);

/// Three functions of time.
class VectorExpression {
 public:
  /// The keys x, y, z after `prefix`; their values must be finite up to `duration`.
  VectorExpression(const Values& values, double duration, const std::string& prefix = "");

  Eigen::Vector3d value(double t) const {
    return {axes_[0].at(t).value, axes_[1].at(t).value, axes_[2].at(t).value};
  }
  Eigen::Vector3d rate(double t) const {
    return {axes_[0].at(t).rate, axes_[1].at(t).rate, axes_[2].at(t).rate};
  }
  /// Nothing but zeros, at any time.
  bool is_zero() const { return !depends_on_time() && value(0).isZero(0); }
  bool depends_on_time() const {
    return std::any_of(axes_.begin(), axes_.end(), [](const Expression& e) { return e.depends_on_time(); });
  }

 private:
  std::array<Expression, 3> axes_;
};

/// The keys of its axes: texts x, y and z, after `prefix`.
std::vector<Key> expression_keys(const std::string& unit, const std::string& what,
                                 const std::string& prefix = "");

}  // namespace stiffly
