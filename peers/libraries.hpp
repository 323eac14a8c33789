// What each library adds to the registry.
#pragma once

#include <vector>

#include "peers/registry.hpp"

namespace stiffly::study {

std::vector<PeerInfo> sundials_peers();
std::vector<PeerInfo> petsc_peers();
std::vector<PeerInfo> odeint_peers();

}  // namespace stiffly::study
