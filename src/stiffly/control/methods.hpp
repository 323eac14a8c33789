// Every way to make a run, by name: the integrators under step control, and the automatic choice between
// them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "stiffly/control/stepper.hpp"

namespace stiffly {

struct Checkpoint;

struct MethodInfo : IntegratorTraits {
  bool automatic = false;  ///< it chooses among the others: order and estimate are theirs
  std::function<std::unique_ptr<Stepper>(const SecondOrderSystem& system, const State& start,
                                         const StepPlan& plan, const IntegratorOptions& options,
                                         const Checkpoint* resume)>
      make;
};

/// In the order they are listed to users.
std::span<const MethodInfo> methods();
/// Throws InputError that names the nearest valid one.
const MethodInfo& find_method(std::string_view name);

/// A stepper of that method from the start of a run, or from a checkpoint of it.
std::unique_ptr<Stepper> make_stepper(std::string_view method, const SecondOrderSystem& system,
                                      const State& start, const StepPlan& plan,
                                      const IntegratorOptions& options = {},
                                      const Checkpoint* resume = nullptr);
/// The same of an integrator that need not be registered.
std::unique_ptr<Stepper> make_stepper(std::shared_ptr<Integrator> integrator, const SecondOrderSystem& system,
                                      const State& start, const StepPlan& plan,
                                      const Checkpoint* resume = nullptr);

}  // namespace stiffly
