// Ways to solve a scene, by the names that users give them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stiffly/study/candidate.hpp"

namespace stiffly::app {

/// `NAME` (or `auto`), `NAME+EVALUATOR` or, for implicit methods, `NAME+NEWTON`, and all of them with
/// `:tolerance` for steps chosen by a tolerance instead of constant ones. Throws InputError that names the
/// nearest valid name.
std::unique_ptr<study::Candidate> make_named(const std::string& text, const IntegratorOptions& options);

/// Integrators of other libraries, where this program was built with them.
std::unique_ptr<study::Candidate> make_named_peer(const std::string& name);
std::vector<std::string> peer_names();
/// The libraries they come from, with their versions.
std::map<std::string, std::string> peer_libraries();

}  // namespace stiffly::app
