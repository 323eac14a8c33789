// The integrators by name.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

struct IntegratorInfo : IntegratorTraits {
  std::function<std::unique_ptr<Integrator>(const IntegratorOptions&)> make;
};

/// All integrators, in the order they are listed to users.
std::span<const IntegratorInfo> integrators();

/// The integrator of that name; throws InputError that names the nearest valid one.
std::unique_ptr<Integrator> make_integrator(std::string_view name, const IntegratorOptions& options = {});

}  // namespace stiffly
