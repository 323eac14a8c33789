#include "candidates.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"
#ifdef STIFFLY_WITH_PEERS
#include "peers/registry.hpp"
#endif

namespace stiffly::app {

using namespace study;

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
