// Bodies that other people publish, fetched when a user asks for them.
#pragma once

#include <filesystem>
#include <span>

#include "stiffly/scene/scene.hpp"

namespace stiffly::app {

/// `load_scene`; a scanned body that is missing is fetched first, with a word on standard error. Throws like
/// `load_scene`: where it cannot be fetched, MissingAsset says why.
Scene load_or_fetch(const std::filesystem::path& path, std::span<const Override> overrides);
Scene load_or_fetch(const SceneSource& source);

}  // namespace stiffly::app
