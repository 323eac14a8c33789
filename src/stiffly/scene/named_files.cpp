#include "stiffly/scene/named_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "stiffly/error.hpp"

namespace stiffly {
namespace fs = std::filesystem;
namespace {

bool lies_in(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(path, error), outer = fs::canonical(folder, error);
  if (error) return false;
  const auto [in, out] = std::mismatch(inner.begin(), inner.end(), outer.begin(), outer.end());
  return out == outer.end();
}

/// TetGen's meshes are in three files.
std::vector<fs::path> read_together(const fs::path& path) {
  std::vector<fs::path> out = {path};
  constexpr std::string_view parts[] = {".node", ".ele", ".face"};
  if (std::find(std::begin(parts), std::end(parts), path.extension()) != std::end(parts))
    for (const std::string_view part : parts) out.push_back(fs::path(path).replace_extension(part));
  return out;
}

}  // namespace

fs::path NamedFiles::at(const std::string& name) const {
  const fs::path path = folder / name;
  if (sandbox.empty()) return path;
  for (const fs::path& file : read_together(path))
    if (!lies_in(file, sandbox))
      throw InputError(fmt::format("the scene names the file {}, which does not lie in {} (--sandbox)",
                                   file.string(), sandbox.string()));
  return path;
}

}  // namespace stiffly
