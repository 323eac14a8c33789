// The φ evaluators by name.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "stiffly/phi/evaluator.hpp"

namespace stiffly {

struct EvaluatorInfo {
  std::string name;
  std::string family;   ///< "dense", "polynomial", "rational", "automatic"
  std::string summary;  ///< one line
  std::string reference;
  std::function<std::unique_ptr<PhiEvaluator>()> make;
};

/// All evaluators, in the order they are listed to users.
std::span<const EvaluatorInfo> evaluators();

/// The evaluator of that name; throws InputError that names the nearest valid one.
std::unique_ptr<PhiEvaluator> make_evaluator(std::string_view name);

}  // namespace stiffly
