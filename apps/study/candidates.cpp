#include "candidates.hpp"

#include <fmt/format.h>

#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/integrators/stage_solver.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/text.hpp"
#ifdef STIFFLY_WITH_PEERS
#include "peers/registry.hpp"
#endif

namespace stiffly::app {

using namespace study;
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

#ifdef STIFFLY_WITH_PEERS

std::unique_ptr<Candidate> make_named_peer(const std::string& name) { return make_peer(name); }

std::vector<std::string> peer_names() {
  std::vector<std::string> out;
  for (const auto& peer : peers()) out.push_back(peer.name);
  return out;
}

std::map<std::string, std::string> peer_libraries() {
  std::map<std::string, std::string> out;
  for (const auto& peer : peers()) out[peer.library] = peer.version;
  return out;
}

#else

std::unique_ptr<Candidate> make_named_peer(const std::string& name) {
  throw InputError(
      fmt::format("--peers {}: this program was built without other libraries; `./stiffly peers` in the "
                  "sources builds one with them",
                  name));
}

std::vector<std::string> peer_names() { return {}; }

std::map<std::string, std::string> peer_libraries() { return {}; }

#endif

}  // namespace stiffly::app
