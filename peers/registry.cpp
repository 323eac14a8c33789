#include "peers/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "peers/libraries.hpp"
#include "stiffly/text.hpp"

namespace stiffly::study {
namespace {

std::vector<PeerInfo> make_all() {
  std::vector<PeerInfo> all;
  [[maybe_unused]] const auto add = [&](std::vector<PeerInfo> more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
  };
#ifdef STIFFLY_WITH_SUNDIALS
  add(sundials_peers());
#endif
#ifdef STIFFLY_WITH_PETSC
  add(petsc_peers());
#endif
#ifdef STIFFLY_WITH_ODEINT
  add(odeint_peers());
#endif
  return all;
}

}  // namespace

std::span<const PeerInfo> peers() {
  static const std::vector<PeerInfo> all = make_all();
  return all;
}

std::unique_ptr<Candidate> make_peer(std::string_view name) {
  std::vector<std::string> names;
  for (const PeerInfo& peer : peers()) {
    if (peer.name == name) return peer.make();
    names.push_back(peer.name);
  }
  if (names.empty())
    throw InputError(fmt::format("no peer '{}': none of SUNDIALS, PETSc and Boost.odeint was found", name));
  throw InputError(fmt::format("unknown peer '{}'; did you mean '{}'?", name, nearest(name, names)));
}

}  // namespace stiffly::study
