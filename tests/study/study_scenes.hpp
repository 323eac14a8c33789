// Small scenes for studies.
#pragma once

#include <filesystem>

#include "stiffly/scene/scene.hpp"

namespace stiffly::test {

/// One of the project's scenes with some values replaced.
inline Scene scene(const std::string& name, std::vector<Override> overrides = {}) {
  return load_scene(std::filesystem::path(STIFFLY_SOURCE_DIR) / "scenes" / (name + ".toml"), overrides);
}

/// The oscillatory chain with moderate frequencies: smooth enough for every method, quick.
inline Scene mild_fput() { return scene("fput", {{"model.omega", "10"}}); }

}  // namespace stiffly::test
