#include "stiffly/control/methods.hpp"

#include "stiffly/control/automatic_stepper.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

std::vector<MethodInfo> make_all() {
  std::vector<MethodInfo> all;
  for (const IntegratorInfo& info : integrators())
    all.push_back({{info},
                   false,
                   [&info](const auto& system, const auto& start, const auto& plan, const auto& options,
                           const auto* resume) {
                     return make_stepper(std::shared_ptr(make_integrator(info, plan, options)), system, start,
                                         plan, resume);
                   }});
  all.push_back(
      {{.name = "auto",
        .family = "automatic",
        .summary = "tries the others on the scene, goes on with the best, and tries again when costs change",
        .uses_evaluator = true,
        .implicit = true},
       true,
       [](const auto& system, const auto& start, const auto& plan, const auto& options,
          const auto* resume) -> std::unique_ptr<Stepper> {
         if (!resume)
           return std::make_unique<AutomaticStepper>(system, start, plan, AutomaticOptions{options});
         return std::make_unique<AutomaticStepper>(system, start, plan, AutomaticOptions{options},
                                                   resume->state, resume->stepper);
       }});
  return all;
}

}  // namespace

std::span<const MethodInfo> methods() {
  static const std::vector<MethodInfo> all = make_all();
  return all;
}

const MethodInfo& find_method(std::string_view name) { return find_by_name(methods(), name, "integrator"); }

std::unique_ptr<Stepper> make_stepper(std::string_view method, const SecondOrderSystem& system,
                                      const State& start, const StepPlan& plan,
                                      const IntegratorOptions& options, const Checkpoint* resume) {
  return find_method(method).make(system, start, plan, options, resume);
}

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<Integrator> integrator, const SecondOrderSystem& system,
                                      const State& start, const StepPlan& plan, const Checkpoint* resume) {
  if (!resume) return std::make_unique<ControlledStepper>(system, std::move(integrator), start, plan);
  return std::make_unique<ControlledStepper>(system, std::move(integrator), start, plan, resume->state,
                                             resume->stepper);
}

}  // namespace stiffly
