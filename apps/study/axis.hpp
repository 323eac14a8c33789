// A value of a scene that takes several numbers in a study.
#pragma once

#include <string>
#include <vector>

#include "overrides.hpp"

namespace stiffly::app {

struct Axis {
  std::string key;  ///< KEY, or KEY=PATTERN in which {} stands for the number
  std::vector<double> values;
};

/// The key alone, without a pattern.
std::string name_of(const Axis& axis);
/// The key as the name of an axis, "diagonal_stiffness (N/m)": with its unit in scenes of that kind, if it
/// has one.
std::string with_unit(const std::string& key, const std::string& kind);
/// `option` is where the axis was given. Throws InputError for a pattern without {}.
Override override_at(const Axis& axis, double value, const std::string& option);

}  // namespace stiffly::app
