// Integrators of other libraries, where this program was built with them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stiffly/study/candidate.hpp"

namespace stiffly::app {

/// Throws InputError where there is none of that name.
std::unique_ptr<study::Candidate> make_named_peer(const std::string& name);
std::vector<std::string> peer_names();
/// The libraries they come from, with their versions.
std::map<std::string, std::string> peer_libraries();

}  // namespace stiffly::app
