// Integrators of other libraries on the same systems, by name. What is installed when this is built is there.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "stiffly/study/candidate.hpp"

namespace stiffly {

struct PeerInfo {
  std::string name, library, version, summary;
  Knob knob;
  std::function<std::unique_ptr<Candidate>()> make;
};

/// All that were built, library by library.
std::span<const PeerInfo> peers();

/// The peer of that name; throws InputError that names the nearest one.
std::unique_ptr<Candidate> make_peer(std::string_view name);

}  // namespace stiffly
