#include "stiffly/study/named_candidate.hpp"

#include <fmt/format.h>

#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/integrators/stage_solver.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/text.hpp"

namespace stiffly::study {
namespace {

/// Cuts `text` at the sign and gives what follows it; empty without one.
std::string cut(std::string& text, char sign) {
  const std::size_t at = text.find(sign);
  if (at == std::string::npos) return "";
  std::string rest = text.substr(at + 1);
  text.resize(at);
  return rest;
}

}  // namespace

std::unique_ptr<Candidate> make_named(const std::string& text, const IntegratorOptions& options) {
  std::string name = text;
  const std::string knob = cut(name, ':'), solver = cut(name, '+');
  if (!knob.empty() && knob != "tolerance" && knob != "step")
    throw InputError(fmt::format("'{}': after the colon comes 'step' or 'tolerance'", text));
  if (find_method(name).automatic && solver.empty())
    return make_candidate(name, knob == "tolerance" ? Knob::tolerance : Knob::step, options);
  IntegratorInfo info = find_by_name(integrators(), name, "integrator");
  IntegratorOptions chosen = options;
  if (!solver.empty()) {
    if (info.uses_evaluator)
      chosen.evaluator = find_by_name(evaluators(), solver, "evaluator").name;
    else if (info.implicit)
      chosen.newton = find_by_name(newton_kinds(), solver, "Newton method").name;
    else
      throw InputError(fmt::format("'{}': {} uses no evaluator and no Newton method", text, name));
  }
  info.name = text;
  return make_candidate(std::move(info), knob == "tolerance" ? Knob::tolerance : Knob::step, chosen);
}

const std::vector<std::string>& reference_methods() {
  static const std::vector<std::string> all = {"verlet", "dopri5:tolerance", "exprb42:tolerance",
                                               "ros3pl:tolerance", "implicit-midpoint"};
  return all;
}

std::unique_ptr<Candidate> make_reference_method(const std::string& name, IntegratorOptions options,
                                                 double agreement) {
  options.phi_tolerance = std::min(options.phi_tolerance, std::max(1e-10, 1e-3 * agreement));
  options.newton_tolerance = std::min(options.newton_tolerance, std::max(1e-12, 1e-5 * agreement));
  return make_named(name, options);
}

const std::vector<std::string>& usual_integrators() {
  static const std::vector<std::string> all = {
      "exprb42", "pexprb43", "verlet", "rk4", "gautschi", "bdf2", "implicit-midpoint", "backward-euler"};
  return all;
}

}  // namespace stiffly::study
