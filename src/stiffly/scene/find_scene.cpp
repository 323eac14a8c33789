// The scenes that come with the program: where they are and what they are called.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "stiffly/error.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace fs = std::filesystem;
namespace {

/// By add_scene_folder, the last one first.
std::vector<fs::path>& added_folders() {
  static std::vector<fs::path> all;
  return all;
}

bool is_name(const std::string& text) { return text.find_first_of("/.") == std::string::npos; }

}  // namespace

void add_scene_folder(const fs::path& folder) { added_folders().insert(added_folders().begin(), folder); }

// Those that were added first, then beside an installed program, then in the sources it was built from.
std::vector<fs::path> scene_folders() {
  std::error_code error;
  std::vector<fs::path> folders = added_folders();
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(program.parent_path().parent_path() / "share" / "stiffly" / "scenes");
#ifdef STIFFLY_SCENE_DIR
  folders.emplace_back(STIFFLY_SCENE_DIR);
#endif
  return folders;
}

std::vector<SceneEntry> scenes() {
  std::vector<SceneEntry> out;
  for (const fs::path& folder : scene_folders()) {
    std::error_code error;
    for (const auto& file : fs::directory_iterator(folder, error)) {
      const std::string name = file.path().stem().string();
      const bool known =
          std::any_of(out.begin(), out.end(), [&](const SceneEntry& e) { return e.name == name; });
      if (file.path().extension() != ".toml" || known) continue;
      try {
        const SceneFile scene = read_scene_file(file.path());
        out.push_back({name, scene.root.text("title"), file.path(), scene.sizes});
      } catch (const Error& problem) {
        out.push_back({name, std::string("cannot be read: ") + problem.what(), file.path(), {}});
      }
    }
  }
  std::sort(out.begin(), out.end(), [](const SceneEntry& a, const SceneEntry& b) { return a.name < b.name; });
  return out;
}

fs::path find_scene(const std::string& name_or_path) {
  std::error_code error;
  if (!is_name(name_or_path) || fs::is_regular_file(name_or_path, error)) return name_or_path;
  for (const fs::path& folder : scene_folders())
    if (const fs::path path = folder / (name_or_path + ".toml"); fs::exists(path, error)) return path;
  std::vector<std::string> names;
  for (const SceneEntry& scene : scenes()) names.push_back(scene.name);
  throw InputError(fmt::format(
      "unknown scene '{}'; did you mean '{}'? (stiffly list scenes shows all; a file of your own needs its "
      "ending: {}.toml)",
      name_or_path, nearest(name_or_path, names), name_or_path));
}

}  // namespace stiffly
