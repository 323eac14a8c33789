// The key tables of models that have a file of their own, and short forms for writing such tables.
#pragma once

#include "stiffly/scene/model.hpp"

namespace stiffly {

Model flag_model();
Model cloth_model();
Model tower_model();
Model bunny_model();
Model dragon_model();
Model mesh_model();
Model block_model();
Model fibres_model();
Model swimmer_model();
Model car_model();

/// A number above 0.
inline Key positive(std::string name, std::string unit, std::string help, double fallback) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .help = std::move(help),
          .fallback = fallback,
          .above = 0};
}
/// A number of at least 0.
inline Key not_negative(std::string name, std::string unit, std::string help, double fallback) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .help = std::move(help),
          .fallback = fallback,
          .at_least = 0};
}
/// A number from 0 to 1.
inline Key share(std::string name, std::string help, double fallback) {
  return {
      .name = std::move(name), .help = std::move(help), .fallback = fallback, .at_least = 0, .at_most = 1};
}
inline Key count(std::string name, std::string help, int fallback, double least, double most) {
  return {.name = std::move(name),
          .type = ValueType::integer,
          .help = std::move(help),
          .fallback = std::int64_t{fallback},
          .at_least = least,
          .at_most = most};
}

}  // namespace stiffly
