// Integrators of other libraries on the same systems, by name. What is installed when this is built is there.
//
// A tolerance means for all of them what it means for our own: errors per step relative to the motion so far,
// in positions and in velocities (MotionTolerance in peer.hpp). Steps are the library's own choice; states at
// moments within a step come from its dense output, for PETSc and constant steps from the cubic through the
// step's ends. Work counts are those of the system, with factorisations, solves and inner iterations from the
// library's statistics.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "stiffly/study/candidate.hpp"

namespace stiffly::study {

struct PeerInfo {
  std::string name, library, version, summary;
  Knob knob;
  std::function<std::unique_ptr<Candidate>()> make;
};

/// All that were built, library by library.
std::span<const PeerInfo> peers();

/// The peer of that name; throws InputError that names the nearest one.
std::unique_ptr<Candidate> make_peer(std::string_view name);

}  // namespace stiffly::study
